import "./kit/fonts.css";
import "./kit/tokens.css";
import "./kit/base.css";
import "./kit/inputs.css";
import "./features/monogram.css";
import { mount } from "svelte";
import { consentHost } from "./host";
import { fontsLoaded } from "./kit/fonts";
import ConsentWindow from "./views/consent/ConsentWindow.svelte";

const target = document.getElementById("window");
const [host] = await Promise.all([consentHost(), fontsLoaded()]);
if (target) mount(ConsentWindow, { target, props: { host } });
