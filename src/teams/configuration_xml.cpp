#include "teams/configuration_xml.hpp"

#include <algorithm>
#include <expat.h>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>

#include "model/names.hpp"

namespace mirab::teams {
namespace {

/// What expat's handlers share.
struct Reading {
  XML_Parser parser;
  std::vector<Property> properties = {};
  std::size_t depth = 0;
  bool is_in_property = false;
  std::string* text = nullptr;  // where characters go
  std::string complaint = {};
};

int line_now(const Reading& reading) {
  return static_cast<int>(std::min<XML_Size>(XML_GetCurrentLineNumber(reading.parser), INT32_MAX));
}

void complain(Reading& reading, std::string complaint) {
  reading.complaint = std::move(complaint);
  XML_StopParser(reading.parser, XML_FALSE);
}

void begin_element(void* data, const XML_Char* name, const XML_Char** /*attributes*/) {
  Reading& reading = *static_cast<Reading*>(data);
  const std::string_view element = name;
  const std::size_t depth = reading.depth++;
  if (depth == 0 && element == "allocations")
    return complain(reading,
                    "is of the FairScheduler; capacity-scheduler.xml, of the CapacityScheduler, is read");
  if (depth == 0 && element != "configuration")
    return complain(reading,
                    fmt::format("begins with <{}>; a capacity-scheduler.xml begins with <configuration>",
                                printable(element.substr(0, 40))));
  if (depth == 1) {
    reading.is_in_property = element == "property";
    if (reading.is_in_property)
      reading.properties.push_back({.name = {}, .value = {}, .line = line_now(reading)});
  }
  if (depth != 2 || !reading.is_in_property) return;
  Property& property = reading.properties.back();
  reading.text = element == "name" ? &property.name : element == "value" ? &property.value : nullptr;
}

void end_element(void* data, const XML_Char* /*name*/) {
  Reading& reading = *static_cast<Reading*>(data);
  --reading.depth;
  reading.text = nullptr;
}

void add_text(void* data, const XML_Char* text, int length) {
  Reading& reading = *static_cast<Reading*>(data);
  if (reading.text != nullptr) reading.text->append(text, static_cast<std::size_t>(length));
}

// Entities of its own could stand for any amount of text.
void refuse_document_type(void* data, const XML_Char* /*name*/, const XML_Char* /*system*/,
                          const XML_Char* /*public_id*/, int /*has_subset*/) {
  complain(*static_cast<Reading*>(data), "has a <!DOCTYPE>, which is not read");
}

}  // namespace

Result<std::vector<Property>> read_configuration(const SourceText& source) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                            &XML_ParserFree);
  Reading reading{.parser = parser.get()};
  XML_SetUserData(parser.get(), &reading);
  XML_SetElementHandler(parser.get(), begin_element, end_element);
  XML_SetCharacterDataHandler(parser.get(), add_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), refuse_document_type);
  const int length = static_cast<int>(source.text.size());  // at most kMaxTextBytes
  if (XML_Parse(parser.get(), source.text.data(), length, XML_TRUE) == XML_STATUS_ERROR) {
    if (reading.complaint.empty())
      reading.complaint = fmt::format("is no XML: {}", XML_ErrorString(XML_GetErrorCode(parser.get())));
    return Error{.message = reading.complaint, .file = source.file, .line = line_now(reading)};
  }
  for (Property& property : reading.properties) {
    property.name = trimmed(property.name);
    property.value = trimmed(property.value);
  }
  return std::move(reading.properties);
}

}  // namespace mirab::teams
