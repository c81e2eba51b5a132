import "./kit/fonts.css";
import "./kit/tokens.css";
import "./kit/base.css";
import "./kit/inputs.css";
import "./features/monogram.css";
import { mount } from "svelte";
import { mainHost } from "./host";
import { failedStart } from "./host/failed";
import { fontsLoaded } from "./kit/fonts";
import FailedStart from "./views/main/FailedStart.svelte";
import MainWindow from "./views/main/MainWindow.svelte";

const target = document.getElementById("window");
const problem = failedStart();
if (target && problem) mount(FailedStart, { target, props: { problem } });
else if (target) {
  const [host] = await Promise.all([mainHost(), fontsLoaded()]);
  mount(MainWindow, { target, props: { host } });
}
