// The page, put together.

import { startAdder } from "./adder.js";
import { about } from "./api.js";
import { startAim } from "./aim.js";
import { startCompare } from "./compare.js";
import { redrawOnResize } from "./diagram.js";
import { complain } from "./dom.js";
import { startMap } from "./map.js";
import { startMenu } from "./menu.js";
import { startOthers } from "./others.js";
import { startPromise } from "./promise.js";
import { startRule } from "./rule.js";
import { state } from "./state.js";
import { startTable } from "./table.js";
import { startTake } from "./take.js";

startMap(); // first: what it shows must be there when the others draw into it
startRule();
startMenu();
startAdder();
startAim();
startOthers();
startPromise();
startCompare();
redrawOnResize(() => state.view);

try {
  const found = await about();
  startTable(found);
  startTake(found);
  document.documentElement.dataset.ready = "yes";
} catch (error) {
  complain("start-error", error.message);
}
