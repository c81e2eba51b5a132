import { everyPage } from "./every-page.mjs";

everyPage("zh-CN");
