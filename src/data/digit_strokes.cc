#include "data/digit_strokes.h"

#include <array>

#include "base/check.h"

namespace airlot::data {
namespace {

constexpr Knot Start(float x, float y) { return {x, y, Knot::Kind::kStart}; }
constexpr Knot Corner(float x, float y) { return {x, y, Knot::Kind::kCorner}; }

constexpr Knot kZeroOval[] = {Start(0, -1),  {-.62F, -1}, {-.7F, 0}, {-.6F, 1.05F}, {0, 1.05F},
                              {.62F, 1.05F}, {.7F, 0},    {.6F, -1}, {-.05F, -1}};
constexpr Knot kZeroOpen[] = {Start(.15F, -.95F), {-.5F, -1.1F}, {-.75F, .1F},
                              {-.45F, 1.1F},      {.2F, 1.1F},   {.7F, .6F},
                              {.65F, -.5F},       {.3F, -1},     {-.1F, -.75F}};

constexpr Knot kOneBar[] = {Start(0, -1), {0, 1}};
constexpr Knot kOneFlag[] = {Start(-.4F, -.55F), Corner(.1F, -1), {.05F, 1}};
constexpr Knot kOneFoot[] = {
    Start(-.35F, -.6F), Corner(.05F, -1), {.05F, 1}, Start(-.4F, 1), {.45F, 1}};

constexpr Knot kTwoCorner[] = {Start(-.55F, -.5F), {-.4F, -1.1F},   {.55F, -1.1F}, {.6F, -.3F},
                               {0, .3F},           Corner(-.6F, 1), {.65F, 1}};
constexpr Knot kTwoLoop[] = {Start(-.5F, -.6F), {-.3F, -1.1F}, {.6F, -1.05F}, {.45F, 0},
                             {-.05F, .7F},      {-.5F, 1.1F},  {-.6F, .6F},   {-.1F, .7F},
                             {.3F, 1.1F},       {.65F, .9F}};

constexpr Knot kThreeRound[] = {Start(-.5F, -.75F), {-.2F, -1.15F},     {.6F, -1},
                                {.5F, -.2F},        Corner(-.1F, -.1F), {.75F, 0},
                                {.65F, 1.1F},       {-.1F, 1.15F},      {-.6F, .7F}};
constexpr Knot kThreeFlat[] = {Start(-.5F, -1), Corner(.5F, -1), Corner(-.05F, -.2F), {.7F, -.2F},
                               {.7F, 1.05F},    {-.1F, 1.1F},    {-.6F, .75F}};

constexpr Knot kFourOpen[] = {
    Start(-.45F, -1), Corner(-.55F, .15F), {.6F, .15F}, Start(.35F, -.9F), {.3F, 1}};
constexpr Knot kFourClosed[] = {
    Start(.25F, -1), Corner(-.65F, .35F), {.65F, .35F}, Start(.25F, -1), {.25F, 1}};
constexpr Knot kFourCurved[] = {Start(-.4F, -1), {-.6F, .2F},        {.0F, .25F},
                                {.4F, -.1F},     Corner(.4F, -.95F), {.3F, 1}};

constexpr Knot kFiveFlag[] = {Start(.55F, -1), Corner(-.4F, -1), Corner(-.45F, -.15F), {.1F, -.4F},
                              {.75F, -.1F},    {.65F, 1},        {-.1F, 1.1F},         {-.6F, .8F}};
constexpr Knot kFiveRound[] = {Start(.5F, -.95F), {-.3F, -1.05F}, {-.5F, -.3F},  {.2F, -.25F},
                               {.7F, .1F},        {.5F, 1.05F},   {-.2F, 1.05F}, {-.55F, .85F}};

constexpr Knot kSixCurved[] = {Start(.4F, -1), {-.4F, -.8F},  {-.75F, .4F},
                               {-.45F, 1.1F},  {.45F, 1.15F}, {.65F, .4F},
                               {.25F, -.1F},   {-.3F, .1F},   {-.5F, .5F}};
constexpr Knot kSixStraight[] = {Start(.1F, -1), {-.4F, 0},   {-.6F, .9F}, {0, 1.1F},
                                 {.6F, .95F},    {.55F, .2F}, {0, .1F},    {-.4F, .55F}};

constexpr Knot kSevenPlain[] = {Start(-.55F, -1), Corner(.6F, -1), {.1F, 0}, {-.15F, 1}};
constexpr Knot kSevenBarred[] = {Start(-.55F, -.95F), Corner(.55F, -1),  {.05F, 0},
                                 {-.2F, 1},           Start(-.3F, .05F), {.4F, 0}};
constexpr Knot kSevenHooked[] = {
    Start(-.55F, -.6F), Corner(-.5F, -1), Corner(.6F, -1), {.2F, 0}, {.1F, 1}};

constexpr Knot kEightOneStroke[] = {Start(.5F, -.75F), {.1F, -1.15F}, {-.6F, -.95F}, {-.45F, -.25F},
                                    {.1F, .05F},       {.65F, .4F},   {.55F, 1.1F},  {-.05F, 1.1F},
                                    {-.65F, 1.05F},    {-.55F, .35F}, {0, 0},        {.5F, -.35F},
                                    {.45F, -.85F}};
constexpr Knot kEightTwoRings[] = {Start(0, -.1F), {-.55F, -.15F}, {-.45F, -1.05F}, {.05F, -1.05F},
                                   {.5F, -1},      {.5F, -.15F},   {-.05F, -.1F},   Start(0, -.1F),
                                   {-.65F, .05F},  {-.6F, 1.05F},  {.05F, 1.05F},   {.65F, 1},
                                   {.6F, 0},       {0, -.1F}};

constexpr Knot kNineStraight[] = {Start(.45F, -.65F), {.3F, -1.1F}, {-.5F, -1.1F},
                                  {-.65F, -.3F},      {-.1F, .05F}, {.45F, -.2F},
                                  Corner(.5F, -.8F),  {.35F, 1}};
constexpr Knot kNineCurled[] = {Start(.5F, -.5F), {.35F, -1.1F}, {-.45F, -1.1F}, {-.65F, -.3F},
                                {-.05F, .1F},     {.5F, -.35F},  {.6F, .4F},     {.3F, 1.1F},
                                {-.2F, 1.1F},     {-.5F, .8F}};

constexpr Glyph kZeros[] = {kZeroOval, kZeroOpen};
constexpr Glyph kOnes[] = {kOneBar, kOneFlag, kOneFoot};
constexpr Glyph kTwos[] = {kTwoCorner, kTwoLoop};
constexpr Glyph kThrees[] = {kThreeRound, kThreeFlat};
constexpr Glyph kFours[] = {kFourOpen, kFourClosed, kFourCurved};
constexpr Glyph kFives[] = {kFiveFlag, kFiveRound};
constexpr Glyph kSixes[] = {kSixCurved, kSixStraight};
constexpr Glyph kSevens[] = {kSevenPlain, kSevenBarred, kSevenHooked};
constexpr Glyph kEights[] = {kEightOneStroke, kEightTwoRings};
constexpr Glyph kNines[] = {kNineStraight, kNineCurled};

constexpr std::array<std::span<const Glyph>, kDigitClasses> kGlyphs = {
    kZeros, kOnes, kTwos, kThrees, kFours, kFives, kSixes, kSevens, kEights, kNines};

}  // namespace

std::span<const Glyph> GlyphsOf(int digit) {
  AIRLOT_CHECK(0 <= digit && digit < kDigitClasses, "digit {}", digit);
  return kGlyphs[std::size_t(digit)];
}

}  // namespace airlot::data
