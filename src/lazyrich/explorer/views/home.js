// The home page of the documentation: the front page alone.

import { startFront } from "./front.js";
import { startTheme } from "./theme.js";

startTheme(() => {});
window.lazyrich = { hero: startFront() };
