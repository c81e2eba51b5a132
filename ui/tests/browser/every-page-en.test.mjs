import { axe } from "./axe.mjs";

axe("en");
