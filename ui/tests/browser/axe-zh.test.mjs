import { axe } from "./axe.mjs";

axe("zh-CN");
