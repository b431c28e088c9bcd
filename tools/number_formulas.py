#!/usr/bin/env python3
"""Numbers the formulas of docs/ in rising order, one row of numbers a document, and keeps every citation right.

A formula is a line of a block of code that ends with its number, such as `E = m·c²   (12)` or `(B3)`: the letter says in which
document it stands (mathematics.md has none). To add a formula, give it a number that is free and run this: it numbers all of them
anew, in the documents and in the comments of the sources, sets an anchor before each block, makes each citation in a document a
link, and writes the index at the end of mathematics.md.

    tools/number_formulas.py           # writes
    tools/number_formulas.py --check   # exit 1 where something would change, or a citation leads nowhere
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
LETTERS = {"mathematics": "", "radio": "R", "bandwidth": "B", "energy": "E", "batteries": "Q", "learning": "L",
           "compression": "C", "strategies": "S", "verdicts": "V", "levers": "N", "books": "K", "airtime": "A", "fleets": "F",
           "radios": "D"}
NUMBER = r"[A-Z]?\d{1,3}b?"
DEFINED = re.compile(rf"^    .*\s\(({NUMBER})\)\s*$")
ANCHOR = re.compile(r'^(?:<a id="eq-[a-z0-9]+"></a>)+\n\n', re.M)
LINK = re.compile(rf"\[(\({NUMBER}\))\]\([a-z]*(?:\.md)?#eq-[a-z0-9]+\)")
# A citation is a number in brackets that is no argument of a function, no exponent, and none of
# another text's equations.
CITED = re.compile(rf"(?<![\w^\]`])(?<!equation )(?<!eq\. )(?<!Eq\. )\(({NUMBER})\)")
INDEX = "## Index of formulas"
SOURCES = [path for pattern in ("include/**/*.h", "src/**/*.h", "src/**/*.cc", "tests/**/*.cc", "benchmarks/*.cc")
           for path in sorted(TOP.glob(pattern))]
SCRIPTS = sorted([*TOP.glob("tools/*.py"), *TOP.glob("tests/*.py"), *TOP.glob("benchmarks/*.py")])
PAGES = sorted(TOP.glob("docs/*.md"))


def plain(text):
    """Returns a page without what this script adds to it."""
    text = text.split(f"\n{INDEX}\n")[0].rstrip("\n") + "\n"
    return LINK.sub(r"\1", ANCHOR.sub("", text))


def anchor(number):
    return f"eq-{number.lower()}"


def defined_in(text):
    return [match[1] for line in text.splitlines() if (match := DEFINED.match(line))]


def linked(text, name, home):
    """Returns the page with anchors before its blocks of formulas, and links instead of citations."""
    lines, out, fenced = text.splitlines(), [], False
    position = 0
    while position < len(lines):
        line = lines[position]
        fenced ^= line.startswith("```")
        if line.startswith("    ") and not fenced and (position == 0 or not lines[position - 1].strip()):
            end = position
            while end < len(lines) and (lines[end].startswith("    ") or
                                        (not lines[end].strip() and lines[end + 1:end + 2] and
                                         lines[end + 1].startswith("    "))):
                end += 1
            block = lines[position:end]
            numbers = defined_in("\n".join(block))
            if numbers:
                out.append("".join(f'<a id="{anchor(number)}"></a>' for number in numbers))
                out.append("")
            out += block
            position = end
            continue
        if not fenced:
            parts = re.split(r"(`[^`]*`)", line)
            for k in range(0, len(parts), 2):
                parts[k] = CITED.sub(
                    lambda m: m[0] if m[1] not in home else
                    f"[({m[1]})]({'' if home[m[1]] == name else home[m[1]] + '.md'}#{anchor(m[1])})", parts[k])
            line = "".join(parts)
        out.append(line)
        position += 1
    return "\n".join(out) + "\n"


def index_of(pages):
    rows = [INDEX, "", "| document | section | formulas |", "|---|---|---|"]
    for name in LETTERS:
        section, numbers = name, []

        def close():
            if numbers:
                links = ", ".join(f"[({n})]({'' if name == 'mathematics' else name + '.md'}#{anchor(n)})" for n in numbers)
                rows.append(f"| [{name}.md]({name}.md) | {section} | {links} |")

        fenced = False
        for line in pages[name].splitlines():
            fenced ^= line.startswith("```")
            if line.startswith("## ") and not fenced:
                close()
                section, numbers = re.sub(r"^\d+\.\s*", "", line[3:]), []
            elif match := DEFINED.match(line):
                numbers.append(match[1])
        close()
    return "\n".join(rows) + "\n"


def renumber(text, names):
    return CITED.sub(lambda m: f"({names.get(m[1], m[1])})", text)


def in_prose(text, change):
    """Leaves blocks between ``` alone: what programs print is no citation."""
    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    return "".join(part if k % 2 else change(part) for k, part in enumerate(parts))


def in_comments(text, change):
    """Changes only what stands behind // on each line."""
    lines = []
    for line in text.split("\n"):
        code, mark, comment = line.partition("//")
        lines.append(code + mark + (change(comment) if mark else ""))
    return "\n".join(lines)


def in_script(text, change):
    """Changes only comments and docstrings of Python."""
    parts = re.split(r'("""(?:.|\n)*?"""|#[^\n]*)', text)
    return "".join(change(part) if k % 2 else part for k, part in enumerate(parts))


def main():
    texts = {path: path.read_text() for path in [*PAGES, *SOURCES, *SCRIPTS]}
    pages = {path.stem: plain(texts[path]) for path in PAGES}
    names = {}
    for name, letter in LETTERS.items():
        for number in defined_in(pages[name]):
            if number in names:
                sys.exit(f"docs/{name}.md: ({number}) is defined twice")
            names[number] = (name, letter)
    counts, new = {}, {}
    for number, (name, letter) in names.items():
        counts[name] = counts.get(name, 0) + 1
        new[number] = f"{letter}{counts[name]}"
    home = {new[number]: name for number, (name, _) in names.items()}
    pages = {name: in_prose(text, lambda part: renumber(part, new)) for name, text in pages.items()}
    index = index_of(pages)
    wanted, lost = {}, []
    for path in PAGES:
        text = linked(pages[path.stem], path.stem, home)
        if path.stem == "mathematics":
            text = text.rstrip("\n") + "\n\n" + index
        wanted[path] = text
    for path in SOURCES + SCRIPTS:
        if path == pathlib.Path(__file__).resolve():
            continue
        change = in_comments if path.suffix != ".py" else in_script
        wanted[path] = change(texts[path], lambda text: renumber(text, new))
        change(wanted[path], lambda text, path=path: lost.extend(
            f"{path.relative_to(TOP)}: ({m[1]}) is defined nowhere" for m in CITED.finditer(text) if m[1] not in home) or text)
    changed = [path for path in wanted if wanted[path] != texts[path]]
    if "--check" in sys.argv[1:]:
        for path in changed:
            print(f"{path.relative_to(TOP)}: run tools/number_formulas.py")
        print("\n".join(lost))
        sys.exit(1 if changed or lost else 0)
    for path in changed:
        path.write_text(wanted[path])
    print("\n".join(lost))


if __name__ == "__main__":
    main()
