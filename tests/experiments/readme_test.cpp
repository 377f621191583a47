// README.md, --help and the configuration agree: every command is in the README and every command, option and
// setting that it names exists.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace canvaslab {
namespace {

std::string readme() {
  std::ifstream file(CANVASLAB_SOURCE_DIR "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string output_of(const std::string& words) {
  const std::string command = fmt::format("'{}/canvaslab' {} 2>&1", CANVASLAB_BUILD_DIR, words);
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), count);
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
  return text;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

std::set<std::string> commands() {
  const std::string help = output_of("--help");
  return matches(help.substr(help.find("Subcommands:")), "\n  ([a-z]+) ");
}

TEST(Readme, NamesEveryCommandAndNoOther) {
  const std::set<std::string> of_the_script{"test", "crosscheck", "bench", "lint", "build"};
  const std::set<std::string> known = commands();
  ASSERT_GE(known.size(), 8U);
  const std::set<std::string> named = matches(readme(), "\\./lab ([a-z]+)");
  for (const std::string& command : known)
    EXPECT_TRUE(named.contains(command)) << command << " is not in the README";
  for (const std::string& command : named) {
    EXPECT_TRUE(known.contains(command) || of_the_script.contains(command)) << "./lab " << command;
  }
}

TEST(Readme, NamesFlagsThatExist) {
  std::string help;
  for (const std::string& command : commands()) help += output_of(fmt::format("{} --help", command));
  for (const std::string& flag : matches(readme(), "(--[a-z]+[a-z-]*)")) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
}

TEST(Readme, NamesSettingsThatExist) {
  const std::set<std::string> settings = matches(readme(), "`?\\b((?:hydra\\.)?[a-z]+\\.[a-z_]+)=");
  ASSERT_GE(settings.size(), 12U);
  std::map<std::string, std::string> listed;  // by group
  for (const std::string& setting : settings) {
    std::string group = setting.substr(0, setting.rfind('.'));
    std::replace(group.begin(), group.end(), '.', '/');  // hydra.launcher: the group hydra/launcher
    if (!listed.contains(group)) listed[group] = output_of(fmt::format("list {}", group));
    EXPECT_NE(listed[group].find(fmt::format("    {}=", setting)), std::string::npos) << setting;
  }
}

}  // namespace
}  // namespace canvaslab
