// These functions make text for HTML, SVG and scripts: whatever comes from outside stays text.
#ifndef AIRLOT_REPORT_MARKUP_H_
#define AIRLOT_REPORT_MARKUP_H_

#include <string>
#include <string_view>

namespace airlot::report {

// Escapes a text for the content of an element or an attribute in double quotes, in HTML and in
// XML. What is no character there (control characters, bytes that are not UTF-8) becomes U+FFFD.
std::string Escape(std::string_view text);

// Returns JSON that can stand in a script element: nothing in it can end the element, or a line of
// it.
std::string ScriptJson(std::string_view json);

// Returns "sha256-..." of the text of an element, as a content-security policy names it.
std::string PolicyHash(std::string_view text);

}  // namespace airlot::report

#endif  // AIRLOT_REPORT_MARKUP_H_
