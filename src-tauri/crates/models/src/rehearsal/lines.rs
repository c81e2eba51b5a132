//! Every line the rehearsal can say, in both languages.
//!
//! The lines live here and not in the interface's catalogue because they are what a model "says": they are kept in
//! chats and sent as a conversation. The language is the one of the user's last message.

/// The language of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyLanguage {
    English,
    Chinese,
}

use ReplyLanguage::{Chinese, English};

impl ReplyLanguage {
    /// Chinese if the text has any Chinese character, otherwise English.
    pub(super) fn detect(text: &str) -> Self {
        let chinese = |c: char| matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
        if text.chars().any(chinese) {
            Chinese
        } else {
            English
        }
    }

    fn list(self, names: &[&str]) -> String {
        let names: Vec<_> = names.iter().map(|name| format!("**{name}**")).collect();
        match self {
            English => names.join(" and "),
            Chinese => names.join("和"),
        }
    }

    pub(super) fn greeting(self, tools: &[&str]) -> String {
        let tools = self.list(tools);
        match self {
            English => format!(
                "Hello. I am the rehearsal: a script, not an AI. I pick tools by simple words, so that you can see \
                 how Vestibule asks you before anything happens.\n\nI begin with a harmless call to {tools}. \
                 Nothing runs before you allow it, and you may just as well deny it."
            ),
            Chinese => format!(
                "你好。我是演示模式：一段脚本，不是人工智能。我按简单的词语选择工具，让你看到 Vestibule \
                 在做任何事之前如何先问你。\n\n我先调用一个无害的工具 {tools}。你允许之前什么都不会运行，你也完全可以拒绝。"
            ),
        }
    }

    pub(super) fn calling(self, tools: &[&str]) -> String {
        let tools = self.list(tools);
        match self {
            English => format!("I'll call {tools}."),
            Chinese => format!("我来调用 {tools}。"),
        }
    }

    pub(super) fn checking(self) -> String {
        match self {
            English => "It is written down. I read it back, to show one call after another.",
            Chinese => "已经记下了。我再读一遍，让你看到一个调用接着另一个调用。",
        }
        .to_owned()
    }

    pub(super) fn not_offered(self, tool: &str) -> String {
        match (self, tool) {
            (English, "both") => {
                "For that I need the tools **add** and **weather**, and they are not offered to me \
                                  in this chat."
                    .to_owned()
            }
            (Chinese, "both") => "这需要工具 **add** 和 **weather**，但这个对话没有向我提供它们。".to_owned(),
            (English, _) => {
                format!("For that I need the tool **{tool}**, and it is not offered to me in this chat.")
            }
            (Chinese, _) => format!("这需要工具 **{tool}**，但这个对话没有向我提供它。"),
        }
    }

    /// What the rehearsal understands, given the tools it has.
    pub(super) fn words(self, offered: &[&str]) -> String {
        if offered.is_empty() {
            return match self {
                English => "I am a script and only know the tools of the tour server. None of them is offered to me \
                            here; connect the tour server, or choose a real model.",
                Chinese => "我是一段脚本，只认识导览服务器的工具。这里没有向我提供这些工具；请连接导览服务器，或选择真正的模型。",
            }
            .to_owned();
        }
        let (intro, word, what) = match self {
            English => (
                "I am a script and understand only a few words. Try one of these:",
                "Write",
                "You will see",
            ),
            Chinese => ("我是一段脚本，只认识少数词语。可以试试：", "输入", "你会看到"),
        };
        let mut table = format!("{intro}\n\n| {word} | {what} |\n|---|---|");
        for tool in offered {
            let (word, what) = self.example(tool);
            table.push_str(&format!("\n| {word} | {what} |"));
        }
        table
    }

    fn example(self, tool: &str) -> (&'static str, &'static str) {
        match (self, tool) {
            (English, "both") => ("both", "two calls at once"),
            (English, "fail") => ("fail", "an error, told plainly (also: fail protocol, crash)"),
            (English, "slow") => ("slow", "progress, log lines and Stop"),
            (English, "ask_form") => ("form", "a server that asks you to fill in a form"),
            (English, "open_page") => ("page", "a server that asks to open a page"),
            (English, "ask_model") => ("sample", "a server that asks to use your model"),
            (English, "list_roots") => ("folders", "a server that asks which folders you share"),
            (English, "picture") => ("picture", "an image and a link in a result"),
            (English, "change_tools") => ("change", "a tool that changes after you saw it"),
            (English, "forget") => ("forget", "a call that destroys something"),
            (English, "recall") => ("recall", "a note read back"),
            (English, "remember") => ("remember the milk", "one call after another"),
            (English, "weather") => ("weather in Oslo", "a call that only reads"),
            (English, _) => ("add 2 and 3", "a call with arguments and a structured result"),
            (Chinese, "both") => ("同时", "同时进行的两个调用"),
            (Chinese, "fail") => ("失败", "直白说明的错误（另有：协议错误、崩溃）"),
            (Chinese, "slow") => ("慢", "进度、日志和停止"),
            (Chinese, "ask_form") => ("表单", "服务器请你填写表单"),
            (Chinese, "open_page") => ("网页", "服务器请求打开网页"),
            (Chinese, "ask_model") => ("采样", "服务器请求使用你的模型"),
            (Chinese, "list_roots") => ("文件夹", "服务器询问你共享了哪些文件夹"),
            (Chinese, "picture") => ("图片", "结果中的图片和链接"),
            (Chinese, "change_tools") => ("改变", "在你看过之后发生变化的工具"),
            (Chinese, "forget") => ("忘记", "会删除内容的调用"),
            (Chinese, "recall") => ("回忆", "读出一条笔记"),
            (Chinese, "remember") => ("记住买牛奶", "一个接一个的调用"),
            (Chinese, "weather") => ("北京的天气", "只读取的调用"),
            (Chinese, _) => ("2 加 3", "带参数的调用和结构化结果"),
        }
    }

    /// The reply where a server asks the model, or where no tool is offered.
    pub(super) fn without_tools(self, asked: &str) -> String {
        let asked: String = asked
            .chars()
            .filter(|c| !c.is_control() && *c != '`')
            .take(200)
            .collect();
        match self {
            English => format!(
                "This is the rehearsal, a script and not an AI. I was asked: `{asked}`. A real model would answer \
                 here; I can only show the way the question and the answer travel."
            ),
            Chinese => format!(
                "这里是演示模式，一段脚本，不是人工智能。我收到的问题是：`{asked}`。真正的模型会在这里回答；\
                 我只能展示问题和答案经过的路。"
            ),
        }
    }

    pub(super) fn nothing_came(self) -> String {
        match self {
            English => "Nothing came back from the call.",
            Chinese => "调用没有返回任何内容。",
        }
        .to_owned()
    }

    pub(super) fn answered(self, tool: &str) -> String {
        match self {
            English => format!("**{tool}** answered:"),
            Chinese => format!("**{tool}** 的回答："),
        }
    }

    pub(super) fn failed(self, tool: &str) -> String {
        match self {
            English => format!("**{tool}** did not work. This is what came back:"),
            Chinese => format!("**{tool}** 没有成功。返回的内容是："),
        }
    }

    pub(super) fn denied(self, tool: &str) -> String {
        match self {
            English => format!(
                "You denied the call to **{tool}**, so it did not run and I will not try again. The reason:"
            ),
            Chinese => {
                format!("你拒绝了对 **{tool}** 的调用，所以它没有运行，我也不会再试。我收到的说明是：")
            }
        }
    }

    pub(super) fn several(self, count: usize) -> String {
        match self {
            English => format!("All {count} calls are done:"),
            Chinese => format!("{count} 个调用都结束了："),
        }
    }

    pub(super) fn columns(self) -> (&'static str, &'static str) {
        match self {
            English => ("Tool", "Result"),
            Chinese => ("工具", "结果"),
        }
    }

    pub(super) fn denied_mark(self) -> &'static str {
        match self {
            English => "denied by you: ",
            Chinese => "被你拒绝：",
        }
    }

    pub(super) fn failed_mark(self) -> &'static str {
        match self {
            English => "did not work: ",
            Chinese => "没有成功：",
        }
    }

    pub(super) fn images(self, count: usize) -> String {
        match (self, count) {
            (English, 1) => "An image came with it.".to_owned(),
            (English, _) => format!("{count} images came with it."),
            (Chinese, _) => format!("同时返回了 {count} 张图片。"),
        }
    }

    pub(super) fn question(self) -> &'static str {
        match self {
            English => "In one sentence: what is a vestibule?",
            Chinese => "用一句话说明：什么是门厅？",
        }
    }

    pub(super) fn note(self) -> String {
        match self {
            English => "buy milk",
            Chinese => "买牛奶",
        }
        .to_owned()
    }

    pub(super) fn city(self) -> String {
        match self {
            English => "Oslo",
            Chinese => "奥斯陆",
        }
        .to_owned()
    }
}
