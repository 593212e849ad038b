// SPDX-License-Identifier: MIT
// Puts data into the page, which is built from web/ and comes along inside the program (page.S): as
// JSON, compressed, in base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/html.h"
#include "export/sink.h"
#include "src/profile/percentiles.h"
#include "src/profile/profile.h"

namespace umbra::html {

/// What the page says of one call of a function, as the report does.
struct OneCall {
    uint64_t mean_ns = 0;
    profile::Percentiles percentiles;
};

/// One JSON object, member by member, in the order of the calls.
class PageWriter {
  public:
    /// Both outlive it.
    PageWriter(const profile::Profile& profile, Sink& out) : profile_(profile), out_(out) {}

    /// Opens the object.
    void put_session();
    void put_facts(const std::vector<Fact>& facts);
    /// Rows of a table in the file, where the page has fewer.
    void put_whole(std::initializer_list<std::pair<std::string_view, std::size_t>> whole);
    void put_editor(std::string_view editor);
    /// Column by column, which compresses better than row by row.
    void put_tables(const std::vector<OneCall>& calls);
    /// Closes the object.
    void end();

    /// `name` becomes an object, which `members` fills by put_array() and put_value().
    void put_object(std::string_view name, const std::function<void()>& members);
    /// `value` gives the JSON of an element.
    void put_array(std::string_view name, std::size_t count,
                   const std::function<std::string(std::size_t)>& value);
    /// `json` as it is.
    void put_value(std::string_view name, std::string_view json);

    [[nodiscard]] static std::string text(std::string_view text);
    /// A number JSON can hold: it has neither infinities nor NaN.
    [[nodiscard]] static std::string number(double number);
    [[nodiscard]] static std::string facts(const std::vector<Fact>& facts);

  private:
    void comma();
    void member(std::string_view name);
    void array(std::size_t count, const std::function<std::string(std::size_t)>& value);
    void put_calls(const std::vector<OneCall>& calls);
    void put_table(std::string_view table, std::string_view columns);

    const profile::Profile& profile_;
    Sink& out_;
    bool first_ = true;
};

/// The page around what `write` puts into the writer. `profile` outlives the call. Fails where
/// umbra was built without the page.
[[nodiscard]] Status put_page(const profile::Profile& profile, Sink& out,
                              const std::function<void(PageWriter&)>& write);

}  // namespace umbra::html
