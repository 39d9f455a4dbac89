#include "dotin/io/text.h"

#include <gtest/gtest.h>

namespace dotin::io {
namespace {

TEST(Utf8, CharactersOfEveryLengthAreTaken) {
  for (const char* const text : {"", "abc", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                                 "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "a\xc3\xa9z"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(to_utf8(text), text);
  }
}

TEST(Utf8, WhatIsNoCharacterIsRefused) {
  for (const char* const text :
       {"\xff", "\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x9f\x98", "abc\xe9"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
    EXPECT_TRUE(is_utf8(to_utf8(text))) << text;
  }
  EXPECT_EQ(to_utf8("caf\xe9.zip"), "caf?.zip");
}

}  // namespace
}  // namespace dotin::io
