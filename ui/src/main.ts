import "./kit/fonts.css";
import "./kit/tokens.css";
import "./kit/base.css";
import "./kit/inputs.css";
import "./features/monogram.css";
import { mount } from "svelte";
import { mainHost } from "./host";
import MainWindow from "./views/main/MainWindow.svelte";

const target = document.getElementById("window");
if (target) mount(MainWindow, { target, props: { host: await mainHost() } });
