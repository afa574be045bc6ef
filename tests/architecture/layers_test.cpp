// The layers of ARCHITECTURE.md hold in the sources, and a breach of any kind would be seen.
#include "architecture/layers.hpp"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace mirab::architecture {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::string layers_text_of(const fs::path& file) {
  std::ifstream input(file);
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

const std::string architecture = layers_text_of(fs::path(MIRAB_SOURCE_DIR) / "ARCHITECTURE.md");

TEST(Architecture, TheIncludesOfMirabPointDownwardsOnly) {
  Faults faults;
  const Layers layers = read_layers(architecture, faults);
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_THAT(check_includes(MIRAB_SOURCE_DIR, layers), IsEmpty());
  EXPECT_THAT(check_rights(MIRAB_SOURCE_DIR, layers), IsEmpty());
}

TEST(Architecture, ThePartsOfTheEngineIncludeOnlyThoseBelow) {
  Faults faults;
  const Layers parts = read_layers(architecture, faults, "parts");
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_THAT(check_parts(MIRAB_SOURCE_DIR, "scheduling", parts, "engine"), IsEmpty());
}

TEST(Architecture, TheDocumentHasUnderTwoHundredLines) {
  EXPECT_LT(std::count(architecture.begin(), architecture.end(), '\n'), 200);
}

// A tree of three layers without a fault, in a folder of its own, to be spoilt by each test.
class FabricatedTree : public testing::Test {
 protected:
  FabricatedTree() {
    std::string pattern = (fs::temp_directory_path() / "mirab-layers-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    write("include/mirab/mirab.hpp", "#include <mirab/ground/g.hpp>\n#include <mirab/left/l.hpp>\n");
    write("include/mirab/ground/g.hpp", "#include <vector>\n");
    write("include/mirab/left/l.hpp", "#include <mirab/ground/g.hpp>\n");
    write("src/ground/g.cpp",
          "#include <mirab/ground/g.hpp>\n#include <Eigen/Dense>\n#include \"ground/own.hpp\"\n");
    write("src/left/l.cpp", "#include <mirab/left/l.hpp>\n#include \"ground/own.hpp\"\n");
    write("src/right/r.cpp", "#include <mirab/ground/g.hpp>\n");
  }
  ~FabricatedTree() override { fs::remove_all(root_); }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  Faults faults() const { return check_includes(root_, layers_); }

  fs::path root_;
  Layers layers_ = {{"ground", {}}, {"left", {"ground"}}, {"right", {"ground"}}};
};

TEST_F(FabricatedTree, APartThatIncludesOneAboveIsAFault) {
  write("src/left/low/a.cpp", "#include \"left/high/b.hpp\"\n#include \"left/low/own.hpp\"\n");
  write("src/left/high/b.cpp", "#include \"left/low/a.hpp\"\n");
  Faults faults;
  const Layers parts = read_layers("```parts\nlow:\nhigh: low\nleft:\n```\n", faults, "parts");
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_THAT(check_parts(root_, "left", parts, "left"),
              ElementsAre("left/low/a.cpp:1: low may not include high"));
}

TEST_F(FabricatedTree, HasNoFaultAtFirst) { EXPECT_THAT(faults(), IsEmpty()); }

TEST_F(FabricatedTree, ShowsAnArrowUp) {
  write("src/ground/up.cpp", "\n#include \"left/l.hpp\"\n");
  EXPECT_THAT(faults(), ElementsAre("src/ground/up.cpp:2: ground may not include left: left/l.hpp"));
}

TEST_F(FabricatedTree, ShowsAnArrowSideways) {
  write("src/right/side.cpp", "#  include <mirab/left/l.hpp>\n");
  EXPECT_THAT(faults(), ElementsAre("src/right/side.cpp:1: right may not include left: mirab/left/l.hpp"));
}

TEST_F(FabricatedTree, ShowsAnArrowUpBetweenPublicHeaders) {
  write("include/mirab/ground/up.hpp", "#include <mirab/left/l.hpp>\n");
  EXPECT_THAT(faults(),
              ElementsAre("include/mirab/ground/up.hpp:1: ground may not include left: mirab/left/l.hpp"));
}

TEST_F(FabricatedTree, ShowsAPublicHeaderThatIncludesAPrivateOne) {
  write("include/mirab/left/leak.hpp", "#include \"ground/own.hpp\"\n");
  EXPECT_THAT(faults(),
              ElementsAre("include/mirab/left/leak.hpp:1: a public header may not include the private "
                          "ground/own.hpp"));
}

TEST_F(FabricatedTree, ShowsAPublicHeaderThatNeedsALibrary) {
  write("include/mirab/left/leak.hpp", "#include <yaml-cpp/yaml.h>\n");
  EXPECT_THAT(faults(), ElementsAre("include/mirab/left/leak.hpp:1: a public header may not need a library: "
                                    "yaml-cpp/yaml.h"));
}

TEST_F(FabricatedTree, ShowsAFolderThatIsNoLayer) {
  write("src/utils/u.cpp", "");
  EXPECT_THAT(faults(), ElementsAre("src/utils/u.cpp: is in no layer"));
}

TEST_F(FabricatedTree, ShowsAFileOutsideTheLayers) {
  write("src/main.cpp", "");
  EXPECT_THAT(faults(), ElementsAre("src/main.cpp: is in no layer"));
}

TEST_F(FabricatedTree, ShowsAnIncludeOfAnUnknownLayer) {
  write("src/left/u.cpp", "#include \"utils/u.hpp\"\n");
  EXPECT_THAT(faults(), ElementsAre("src/left/u.cpp:1: utils/u.hpp is in no layer"));
}

TEST_F(FabricatedTree, ShowsAnIncludeThatDoesNotStartAtTheRoot) {
  write("src/left/u.cpp", "#include \"l.hpp\"\n#include \"../right/r.hpp\"\n");
  EXPECT_THAT(faults(), ElementsAre("src/left/u.cpp:1: l.hpp is in no layer",
                                    "src/left/u.cpp:2: ../right/r.hpp is in no layer"));
}

TEST_F(FabricatedTree, ShowsAnIncludeOfTheHeaderForEverything) {
  write("src/left/u.cpp", "#include <mirab/mirab.hpp>\n");
  EXPECT_THAT(faults(), ElementsAre("src/left/u.cpp:1: mirab.hpp is for users of the library"));
}

TEST_F(FabricatedTree, ShowsALayerWithoutSources) {
  fs::remove_all(root_ / "src/right");
  EXPECT_THAT(faults(), ElementsAre("the layer right has no source"));
}

TEST(ReadLayers, ReadsWhatEachLayerMayInclude) {
  Faults faults;
  const Layers layers = read_layers("# Title\n```layers\nmodel:\naudit: model\n```\nmore: text\n", faults);
  EXPECT_EQ(layers, (Layers{{"model", {}}, {"audit", {"model"}}}));
  EXPECT_THAT(faults, IsEmpty());
}

TEST(ReadLayers, ShowsALayerThatNamesOneAboveItself) {
  Faults faults;
  read_layers("```layers\nmodel: audit\naudit: model\n```\n", faults);
  EXPECT_THAT(faults, ElementsAre("model names audit, which is not declared above it"));
}

TEST(ReadLayers, ShowsALayerDeclaredTwice) {
  Faults faults;
  read_layers("```layers\nmodel:\nmodel:\n```\n", faults);
  EXPECT_THAT(faults, ElementsAre("model is declared twice"));
}

TEST(ReadLayers, ShowsADocumentWithoutTheBlock) {
  Faults faults;
  read_layers("# Title\n", faults);
  EXPECT_THAT(faults, ElementsAre("there is no block of layers"));
}

}  // namespace
}  // namespace mirab::architecture
