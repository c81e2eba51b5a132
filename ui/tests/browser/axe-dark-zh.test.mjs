import { axe } from "./axe.mjs";

axe({ appearance: "dark", language: "zh-CN" });
