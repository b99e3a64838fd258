// The home page of the documentation: the front page alone.

import { afterPaint, startFront } from "./front.js";
import { startTheme } from "./theme.js";

startTheme(() => {});
afterPaint(() => (window.lazyrich = { hero: startFront() }));
