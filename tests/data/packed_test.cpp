#include "dotin/data/packed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/data/open.h"
#include "dotin/io/safetensors.h"
#include "support/expect.h"
#include "support/real_data.h"
#include "support/temporary_folder.h"

namespace dotin::data {
namespace {

using dotin::testing::TemporaryFolder;
using nlohmann::json;

/// Everything a dataset can hold: 3 graphs, one of them without nodes.
Dataset full_dataset() {
  io::Records records;
  records.name = "full";
  records.node_offsets = {0, 3, 3, 5};
  records.edge_from = {0, 1, 3, 3, 4};
  records.edge_to = {1, 2, 4, 4, 4};
  records.node_labels.push_back({"atom", std::vector<int32_t>{0, 1, 0, 1, 0}, {"6", "8"}});
  records.node_labels.push_back({"ring", std::vector<int32_t>{0, 0, 0, 0, 0}, {"no \xc3\xa9"}});
  records.edge_labels.push_back({"bond", std::vector<int32_t>{0, 1, 0, 0, 1}, {"1", "2"}});
  records.node_attributes = {2, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  records.edge_attributes = {1, std::vector<float>{0.5f, 1.5f, 2.5f, 3.5f, 4.5f}};
  records.targets.push_back({"label", 1, std::vector<double>{1, 0, NAN}, {"no", "yes"}});
  records.targets.push_back({"attributes", 2, std::vector<double>{1.5, 2, -3, 4, 5, NAN}, {}});
  records.relevant.push_back({"label", std::vector<uint8_t>{1, 0, 0, 1, 1}});
  records.graph_ids = {"first", "", "thir\xc3\xa9"};
  return build_dataset(std::move(records), DuplicatePolicy::merge);
}

template <class T>
void expect_equal(const core::Array<T>& a, const core::Array<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == a[i]) {
      EXPECT_EQ(a[i], b[i]) << i;
    } else {
      EXPECT_NE(b[i], b[i]) << i;
    }
  }
}

void expect_equal(const std::vector<io::LabelColumn>& a, const std::vector<io::LabelColumn>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].values, b[i].values);
    expect_equal(a[i].codes, b[i].codes);
  }
}

void expect_equal(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.self_loops, b.self_loops);
  EXPECT_EQ(a.duplicate_edges, b.duplicate_edges);
  EXPECT_EQ(a.graph_ids, b.graph_ids);
  expect_equal(a.node_offsets, b.node_offsets);
  expect_equal(a.row_offsets, b.row_offsets);
  expect_equal(a.neighbours, b.neighbours);
  expect_equal(a.node_labels, b.node_labels);
  expect_equal(a.edge_labels, b.edge_labels);
  EXPECT_EQ(a.node_attributes.columns, b.node_attributes.columns);
  expect_equal(a.node_attributes.values, b.node_attributes.values);
  EXPECT_EQ(a.edge_attributes.columns, b.edge_attributes.columns);
  expect_equal(a.edge_attributes.values, b.edge_attributes.values);
  ASSERT_EQ(a.targets.size(), b.targets.size());
  for (std::size_t i = 0; i < a.targets.size(); ++i) {
    EXPECT_EQ(a.targets[i].name, b.targets[i].name);
    EXPECT_EQ(a.targets[i].width, b.targets[i].width);
    EXPECT_EQ(a.targets[i].names, b.targets[i].names);
    expect_equal(a.targets[i].values, b.targets[i].values);
  }
  ASSERT_EQ(a.relevant.size(), b.relevant.size());
  for (std::size_t i = 0; i < a.relevant.size(); ++i) {
    EXPECT_EQ(a.relevant[i].target, b.relevant[i].target);
    expect_equal(a.relevant[i].nodes, b.relevant[i].nodes);
  }
}

TEST(Packed, ReadsBackEverything) {
  TemporaryFolder folder;
  const Dataset dataset = full_dataset();
  write_packed(dataset, folder / "full.safetensors");
  const Dataset back = open_packed(folder / "full.safetensors");
  expect_equal(dataset, back);
  EXPECT_EQ(back.self_loops, 1);
  EXPECT_EQ(back.duplicate_edges, 1);
}

TEST(Packed, ADatasetWithoutAnythingOptional) {
  TemporaryFolder folder;
  io::Records records;
  records.name = "bare";
  records.node_offsets = {0, 2};
  const Dataset dataset = build_dataset(std::move(records), DuplicatePolicy::merge);
  write_packed(dataset, folder / "bare.safetensors");
  expect_equal(dataset, open_packed(folder / "bare.safetensors"));
}

TEST(Packed, NamesThatAreNotUtf8AreRefusedAndNothingIsWritten) {
  TemporaryFolder folder;
  Dataset dataset = full_dataset();
  dataset.node_labels[0].values[0] = "\xff";
  EXPECT_THROW(write_packed(dataset, folder / "x"), core::Error);
  EXPECT_EQ(dotin::testing::read_text(folder / "x"), "");
}

/// A packed file taken apart, to be changed and put together again.
struct Parts {
  std::vector<io::TensorToWrite> tensors;
  json metadata;

  io::TensorToWrite& tensor(const std::string& name) {
    for (auto& candidate : tensors) {
      if (candidate.name == name) return candidate;
    }
    throw std::runtime_error("no tensor " + name);
  }
  template <class T>
  void set(const std::string& name, std::vector<T>& values) {
    tensor(name) = io::tensor_to_write(name, {static_cast<int64_t>(values.size())}, values.data());
  }
};

std::string error_after(const std::function<void(Parts&)>& edit) {
  TemporaryFolder folder;
  write_packed(full_dataset(), folder / "good");
  const io::SafetensorsFile good(folder / "good");
  Parts parts;
  parts.metadata = json::parse(good.metadata().at("dotin_data"));
  for (const auto& [name, tensor] : good.tensors()) {
    parts.tensors.push_back({name, tensor.type, tensor.shape, tensor.data});
  }
  edit(parts);
  io::write_safetensors(folder / "bad", parts.tensors, {{"dotin_data", parts.metadata.dump()}});
  try {
    open_packed(folder / "bad");
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PackedBadFile, TheUneditedFileIsGood) {
  EXPECT_EQ(error_after([](Parts&) {}), "no error");
}

TEST(PackedBadFile, ANewerVersionSaysSo) {
  EXPECT_SAYS(error_after([](Parts& parts) { parts.metadata["version"] = 2; }),
              "version 2, this dotin knows up to 1; use a newer dotin");
}

TEST(PackedBadFile, OtherSafetensorsAreNoDatasets) {
  TemporaryFolder folder;
  io::write_safetensors(folder / "x", {}, {{"dotin", "a model"}});
  try {
    open_packed(folder / "x");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_SAYS(std::string(error.what()), "not a packed dataset");
  }
  io::write_safetensors(folder / "x", {}, {{"dotin_data", "{"}});
  EXPECT_THROW(open_packed(folder / "x"), core::Error);
  io::write_safetensors(folder / "x", {}, {{"dotin_data", "[]"}});
  EXPECT_THROW(open_packed(folder / "x"), core::Error);
}

TEST(PackedBadFile, EveryMetadataKeyIsNeededAndOfItsType) {
  TemporaryFolder folder;
  write_packed(full_dataset(), folder / "good");
  const io::SafetensorsFile file(folder / "good");
  const json metadata = json::parse(file.metadata().at("dotin_data"));
  for (const auto& entry : metadata.items()) {
    const std::string key = entry.key();
    EXPECT_SAYS(error_after([&](Parts& parts) { parts.metadata.erase(key); }), "not as expected");
    EXPECT_SAYS(error_after([&](Parts& parts) {
                  parts.metadata[key] = json::array({{{"name", 1}}});
                }),
                "not as expected");
  }
}

TEST(PackedBadFile, EveryTensorIsNeededWithItsTypeAndShape) {
  TemporaryFolder folder;
  write_packed(full_dataset(), folder / "good");
  const io::SafetensorsFile file(folder / "good");
  for (const auto& entry : file.tensors()) {
    const std::string name = entry.first;
    const bool optional = name == "graph_ids" || name == "node_attributes" || name == "edge_attributes";
    const std::string without = error_after([&](Parts& parts) {
      parts.tensors.erase(parts.tensors.begin() + (&parts.tensor(name) - parts.tensors.data()));
    });
    EXPECT_EQ(without == "no error", optional) << name << ": " << without;
    EXPECT_NE(error_after([&](Parts& parts) { parts.tensor(name).shape.push_back(1); }), "no error") << name;
    EXPECT_NE(error_after([&](Parts& parts) { parts.tensor(name).shape[0] -= 1; }), "no error") << name;
    EXPECT_SAYS(error_after([&](Parts& parts) {
                  io::DType& type = parts.tensor(name).type;
                  type = io::size_of(type) == 8   ? (type == io::DType::f64 ? io::DType::i64 : io::DType::f64)
                         : io::size_of(type) == 4 ? (type == io::DType::f32 ? io::DType::i32 : io::DType::f32)
                                                  : io::DType::f32;
                  if (type == io::DType::f32 && name.find("graph_ids") == 0) parts.tensor(name).shape[0] /= 4;
                  if (type == io::DType::f32 && name.find("relevant") == 0)
                    parts.tensor(name).data = file.get("neighbours").data;
                }),
                "expected ");
  }
}

TEST(PackedBadFile, OffsetsMustRiseAndFit) {
  const auto with = [](const std::string& name, std::vector<int64_t> values) {
    return error_after([&](Parts& parts) { parts.set(name, values); });
  };
  EXPECT_SAYS(with("node_offsets", {0, 4, 3, 5}), "node_offsets do not rise");
  EXPECT_SAYS(with("node_offsets", {1, 3, 3, 5}), "node_offsets do not rise");
  EXPECT_SAYS(with("node_offsets", {-1, 3, 3, 5}), "node_offsets do not rise");
  EXPECT_SAYS(with("node_offsets", {}), "node_offsets do not rise");
  EXPECT_SAYS(with("node_offsets", {0, 3, 3, 6}), "do not fit the number of nodes");
  EXPECT_SAYS(with("node_offsets", {0, 3, 3, int64_t{1} << 40}), "too many nodes");
  EXPECT_SAYS(with("row_offsets", {0, 1, 3, 7, 5, 6}), "row_offsets do not");
  EXPECT_SAYS(with("row_offsets", {0, 1, 3, -1, 5, 6}), "row_offsets do not rise");
  EXPECT_SAYS(with("row_offsets", {0, 1, 3, 4, 5, 7}), "do not fit the number of neighbours");
  EXPECT_SAYS(with("row_offsets", {1, 1, 3, 4, 5, 6}), "row_offsets do not fit");
  EXPECT_SAYS(with("graph_id_offsets", {0, 100, 5, 11}), "graph_id_offsets");
  EXPECT_SAYS(with("graph_id_offsets", {0, 5, 5, 12}), "graph_id_offsets");
}

TEST(PackedBadFile, ClassesMustHaveNames) {
  for (const double value : {2.0, -1.0, 0.5, std::numeric_limits<double>::infinity()}) {
    std::vector<double> values{1, value, 0};
    EXPECT_SAYS(error_after([&](Parts& parts) {
                  parts.set("targets.0", values);
                  parts.tensor("targets.0").shape = {3, 1};
                }),
                "a class without a name");
  }
}

TEST(PackedBadFile, IdsMustBeUtf8) {
  std::vector<uint8_t> ids(11, 'x');
  ids[6] = 0xff;
  EXPECT_SAYS(error_after([&](Parts& parts) { parts.set("graph_ids", ids); }),
              "/bad: damaged: the id of graph 2 is not UTF-8 text; pack the data again");
  Dataset dataset = full_dataset();
  dataset.graph_ids[1] = "\xff";
  const TemporaryFolder folder;
  EXPECT_SAYS(testing::error_of([&] { write_packed(dataset, folder / "x"); }), "cannot pack: graph id", "not UTF-8");
}

TEST(PackedBadFile, DamageInsideAGraphIsLeftToValidateGraph) {
  TemporaryFolder folder;
  Dataset dataset = full_dataset();
  dataset.row_offsets = std::vector<int64_t>{0, int64_t{1} << 50, -7, 4, 5, 6};
  write_packed(dataset, folder / "x");
  const Dataset back = open_packed(folder / "x");
  EXPECT_THROW(validate_graph(back, 0), core::Error);
  EXPECT_NO_THROW(validate_graph(back, 2));
}

TEST(Packed, RealDataReadsBackEverything) {
  DOTIN_REAL_DATA(path, "MUTAG");
  TemporaryFolder folder;
  const auto dataset = open(path, {});
  write_packed(*dataset, folder / "mutag.safetensors");
  expect_equal(*dataset, *open(folder / "mutag.safetensors", {}));
}

}  // namespace
}  // namespace dotin::data
