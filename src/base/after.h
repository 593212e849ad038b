// SPDX-License-Identifier: MIT
// after: what is to be done when a timer has run down.
#pragma once

#include <utility>

#include <boost/asio/steady_timer.hpp>

namespace umbra {

/// `then` is not called where the timer is cancelled, set anew or destroyed before.
void after(boost::asio::steady_timer& timer, boost::asio::steady_timer::duration time, auto then) {
    timer.expires_after(time);
    timer.async_wait([then = std::move(then)](const boost::system::error_code& error) {
        if (!error) {
            then();
        }
    });
}

}  // namespace umbra
