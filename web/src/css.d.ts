// SPDX-License-Identifier: MIT
// esbuild gathers what is imported so.
declare module "*.css";
