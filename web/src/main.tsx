// SPDX-License-Identifier: MIT
// The page: loads the profile it holds, then draws it.
import { render } from "preact";
import { App, tabs } from "./App";
import { DiffApp } from "./DiffApp";
import { load } from "./data";
import { followAddress } from "./frame/link";
import { setProfile, watchTheme } from "./state";
import "./style.css";

const app = document.getElementById("app")!;
watchTheme();
// The canvas measures names: its font must be there.
Promise.all([load(), document.fonts.load("13px Inter").catch(() => [])]).then(
  ([profile]) => {
    setProfile(profile);
    followAddress(profile.diff ? ["time", "measurement"] : tabs().map(([name]) => name));
    document.title = `${profile.session.program || "profile"} \u2013 umbra`;
    app.textContent = "";
    render(profile.diff ? <DiffApp /> : <App />, app);
    requestAnimationFrame(() => performance.mark("umbra-drawn"));
  },
  (error: unknown) => {
    app.textContent = `The profile in this page cannot be read: ${String(error)}. Export it again.`;
    app.className = "failed";
  },
);
