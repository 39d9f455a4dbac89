// What an item of `dotin reproduce` comes to: tables and charts to read, and every value for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dotin::reproduce {

struct Entry {
  std::string text;
  std::vector<std::string> notes = {};  // said smaller, below it
  std::string cell = "";                // key of the cell it comes from
  bool below = false;                   // the paper's number is better
  bool highest = false;                 // of its column: said in bold
};

struct Row {
  std::string name;
  std::vector<Entry> entries;
};

struct Table {
  std::string title, about;
  std::vector<std::string> columns;  // the first one is over the names of the rows
  std::vector<Row> rows;
};

struct Chart {
  std::string name;  // of the file, without the item's and without .svg
  std::string title, about;
  std::string svg;  // as in a page; standalone() makes a file of it
};

struct Outcome {
  std::string item, title;
  std::string command;             // what was asked for
  std::vector<std::string> about;  // paragraphs
  std::vector<Table> tables;
  std::vector<Chart> charts;
  nlohmann::json values = nlohmann::json::array();
  nlohmann::json cells = nlohmann::json::array();    // records of the cells that were run, without results
  nlohmann::json missing = nlohmann::json::array();  // {label, command} of those that were not
  bool quick = false;
};

/// All of it but the pictures, which are named.
nlohmann::json to_json(const Outcome& outcome);

/// The file of a chart: ITEM-NAME.svg.
std::string file_of(const Outcome& outcome, const Chart& chart);

}  // namespace dotin::reproduce
