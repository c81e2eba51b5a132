import { axe } from "./axe.mjs";

axe({ appearance: "light", language: "zh-CN" });
