//! The rules by which the rehearsal picks tools.
//!
//! A rule is a few words and the tool they stand for; a tool is found by the last part of its flattened name. The
//! first rule whose words are in the user's message wins. Only tools that were offered are called.

use serde_json::{Map, Value, json};

use super::cities::city;
use super::lines::ReplyLanguage;
use super::summary::{self, short};
use crate::{CallArguments, ModelCall, ModelMessage, ModelRequest, ToolSpec};

/// The most replies with calls after one message of the user.
const MOST_ROUNDS: usize = 3;

/// What the rehearsal says and calls next.
pub(super) struct ScriptedTurn {
    pub(super) text: String,
    pub(super) calls: Vec<ModelCall>,
}

impl ScriptedTurn {
    fn say(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            calls: Vec::new(),
        }
    }
}

/// One thing the rehearsal can show: the tool, the English words and the Chinese ones.
struct ScriptRule {
    tool: &'static str,
    english: &'static [&'static str],
    chinese: &'static [&'static str],
}

const fn rule(
    tool: &'static str,
    english: &'static [&'static str],
    chinese: &'static [&'static str],
) -> ScriptRule {
    ScriptRule {
        tool,
        english,
        chinese,
    }
}

/// Both tools of the rule for two calls at once.
const PAIR: [&str; 2] = ["add", "weather"];

const RULES: [ScriptRule; 14] = [
    rule("both", &["two", "both", "parallel"], &["两个", "同时", "并行"]),
    rule(
        "fail",
        &["fail", "fails", "failure", "error", "crash", "protocol"],
        &["失败", "错误", "崩溃"],
    ),
    rule("slow", &["slow", "slowly", "progress", "long"], &["慢", "进度"]),
    rule("ask_form", &["form", "forms", "ask"], &["表单", "表格"]),
    rule(
        "open_page",
        &["page", "pages", "website", "browser"],
        &["网页", "页面", "浏览器"],
    ),
    rule("ask_model", &["sample", "sampling", "model"], &["采样", "模型"]),
    rule("list_roots", &["folder", "folders", "roots"], &["文件夹", "目录"]),
    rule("picture", &["picture", "image", "photo"], &["图片", "图像"]),
    rule(
        "change_tools",
        &["change", "changes", "changed"],
        &["改变", "更改", "变化"],
    ),
    rule("forget", &["forget", "delete"], &["忘", "删除"]),
    rule("recall", &["recall"], &["回忆", "想起"]),
    rule("remember", &["remember", "note"], &["记住", "记下"]),
    rule("weather", &["weather", "forecast"], &["天气", "预报"]),
    rule("add", &["add", "plus", "sum"], &["加"]),
];

/// The next reply to this conversation.
pub(super) fn turn(request: &ModelRequest) -> ScriptedTurn {
    let scene = Scene::from_request(request);
    if request.tools.is_empty() && scene.since.is_empty() {
        return ScriptedTurn::say(scene.language.without_tools(scene.asked));
    }
    if scene.since.is_empty() {
        return scene.open();
    }
    scene.go_on()
}

/// The part of a conversation that the rules look at.
struct Scene<'a> {
    tools: &'a [ToolSpec],
    asked: &'a str,
    language: ReplyLanguage,
    /// Whether the user has written for the first time.
    first: bool,
    /// Calls made so far in the whole conversation.
    calls: usize,
    /// What came after the user's last message.
    since: &'a [ModelMessage],
}

impl<'a> Scene<'a> {
    fn from_request(request: &'a ModelRequest) -> Self {
        let messages = &request.messages;
        let last = messages
            .iter()
            .rposition(|message| matches!(message, ModelMessage::User { .. }));
        let asked = match last.map(|index| &messages[index]) {
            Some(ModelMessage::User { text }) => text.as_str(),
            _ => "",
        };
        let calls = messages.iter().map(|message| match message {
            ModelMessage::Assistant { calls, .. } => calls.len(),
            _ => 0,
        });
        Self {
            tools: &request.tools,
            asked,
            language: ReplyLanguage::detect(asked),
            first: last.is_none_or(|index| index == 0),
            calls: calls.sum(),
            since: last.map_or(&[], |index| &messages[index + 1..]),
        }
    }

    fn open(&self) -> ScriptedTurn {
        let wanted = self.wanted();
        let calls = match wanted {
            Some("both") => PAIR.iter().filter_map(|tool| self.call(tool)).collect(),
            Some(tool) => self.call(tool).into_iter().collect(),
            // A newcomer sees the first question at once, whatever they wrote.
            None if self.first => self
                .call("weather")
                .or_else(|| self.call("add"))
                .into_iter()
                .collect(),
            None => Vec::new(),
        };
        let calls = numbered(calls, self.calls);
        let lines = self.language;
        let text = match (wanted, calls.is_empty(), self.first) {
            (_, false, true) => lines.greeting(&named(&calls)),
            (_, false, false) => lines.calling(&named(&calls)),
            (Some(tool), true, _) => {
                format!("{}\n\n{}", lines.not_offered(tool), lines.words(&self.offered()))
            }
            (None, true, _) => lines.words(&self.offered()),
        };
        ScriptedTurn { text, calls }
    }

    fn go_on(&self) -> ScriptedTurn {
        let rounds = self
            .since
            .iter()
            .filter(|message| matches!(message, ModelMessage::Assistant { .. }))
            .count();
        if rounds < MOST_ROUNDS
            && let Some(call) = self.follow_up()
        {
            let calls = numbered(vec![call], self.calls);
            return ScriptedTurn {
                text: self.language.checking(),
                calls,
            };
        }
        let mut text = summary::summarise(self.since, self.language);
        // Who asked for something knows a word already; a user who only said hello gets the others.
        if self.first && self.wanted().is_none() {
            text.push_str("\n\n");
            text.push_str(&self.language.words(&self.offered()));
        }
        ScriptedTurn::say(text)
    }

    /// A note that was just written is read back, to show one call after another.
    fn follow_up(&self) -> Option<ModelCall> {
        match self.since.last()? {
            ModelMessage::ToolResult {
                name, failed: false, ..
            } if short(name) == "remember" => self.call("recall"),
            _ => None,
        }
    }

    fn wanted(&self) -> Option<&'static str> {
        let lower = self.asked.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        let found = RULES.iter().find(|rule| {
            rule.english.iter().any(|word| words.contains(word))
                || rule.chinese.iter().any(|word| lower.contains(word))
        });
        found
            .map(|rule| rule.tool)
            .or_else(|| lower.contains('+').then_some("add"))
    }

    fn offered(&self) -> Vec<&'static str> {
        let tools = RULES.iter().map(|rule| rule.tool);
        tools
            .filter(|tool| {
                if *tool == "both" {
                    PAIR.iter().all(|t| self.has(t))
                } else {
                    self.has(tool)
                }
            })
            .collect()
    }

    fn has(&self, tool: &str) -> bool {
        self.find(tool).is_some()
    }

    fn find(&self, tool: &str) -> Option<&'a ToolSpec> {
        let fits = |spec: &&ToolSpec| {
            short(&spec.name) == tool || (tool == "weather" && spec.name.contains("forecast"))
        };
        self.tools.iter().find(fits)
    }

    fn call(&self, tool: &str) -> Option<ModelCall> {
        let spec = self.find(tool)?;
        let arguments = self.arguments(tool, spec);
        Some(ModelCall {
            id: String::new(),
            name: spec.name.clone(),
            arguments: CallArguments::Parsed(arguments),
        })
    }

    fn arguments(&self, tool: &str, spec: &ToolSpec) -> Map<String, Value> {
        let numbers = numbers(self.asked);
        let number = |at: usize, otherwise: i64| numbers.get(at).copied().unwrap_or(otherwise);
        let value = match tool {
            "add" => json!({ "a": number(0, 2), "b": number(1, 3) }),
            "weather" => weather(spec, &city(self.asked, self.language)),
            "slow" => json!({ "seconds": number(0, 5).clamp(1, 30), "steps": 5 }),
            "fail" => json!({ "how": how_to_fail(self.asked) }),
            "remember" => json!({ "key": "note", "text": self.note() }),
            "recall" | "forget" => json!({ "key": "note" }),
            "ask_model" => json!({ "question": self.language.question() }),
            _ => json!({}),
        };
        value.as_object().cloned().unwrap_or_default()
    }

    fn note(&self) -> String {
        let rest = ["remember", "note", "记住", "记下"].iter().find_map(|word| {
            let at = self.asked.to_lowercase().find(word)?;
            self.asked.get(at + word.len()..)
        });
        let rest = rest
            .unwrap_or_default()
            .trim_matches(|c: char| c.is_whitespace() || ":,.：，。".contains(c));
        if rest.is_empty() {
            self.language.note()
        } else {
            rest.chars().take(200).collect()
        }
    }
}

fn named(calls: &[ModelCall]) -> Vec<&str> {
    calls.iter().map(|call| short(&call.name)).collect()
}

fn numbered(calls: Vec<ModelCall>, before: usize) -> Vec<ModelCall> {
    let name = |(at, call)| ModelCall {
        id: format!("rehearsal-{}", before + at + 1),
        ..call
    };
    calls.into_iter().enumerate().map(name).collect()
}

/// Another server's forecast tool may name its place differently; its first text property gets the city.
fn weather(spec: &ToolSpec, city: &str) -> Value {
    let properties = spec.input_schema.get("properties").and_then(Value::as_object);
    let is_text = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("string");
    let place = properties.and_then(|properties| {
        let known = properties.contains_key("city").then_some("city");
        known.or_else(|| {
            properties
                .iter()
                .find(|(_, schema)| is_text(schema))
                .map(|(name, _)| name.as_str())
        })
    });
    let mut arguments = Map::from_iter([(place.unwrap_or("city").to_owned(), Value::from(city))]);
    if properties.is_some_and(|properties| properties.contains_key("days")) {
        arguments.insert("days".to_owned(), Value::from(3));
    }
    Value::Object(arguments)
}

fn how_to_fail(asked: &str) -> &'static str {
    let asked = asked.to_lowercase();
    if asked.contains("crash") || asked.contains("崩溃") {
        "crash"
    } else if asked.contains("protocol") || asked.contains("协议") {
        "protocol_error"
    } else {
        "tool_error"
    }
}

/// The whole numbers in the text, in order; those too long to be one are left out.
fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}
