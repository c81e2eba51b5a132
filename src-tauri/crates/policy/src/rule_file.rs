//! Rules as JSON: as the store keeps them, and as a file a user takes to another computer. Each form names its
//! version. What is newer than this build, or has a member it does not know, is refused whole: a rule of which a part
//! was ignored would say something else. Reading a file changes nothing by itself; the caller that makes its permissions hold
//! asks the user first.

use jiff::Timestamp;
use serde_json::{Value, json};
use vestibule_protocol::{RuleId, ServerId};

use crate::{Rule, Unenforceable};

/// The version written by this build. Version 1 had no conditions and did not name itself.
const VERSION: u64 = 2;
/// What a file of rules calls itself.
const FORMAT: &str = "vestibule-rules";
/// Most rules of one file.
const MOST: usize = 10_000;

/// A rule that has no effect, because it could not be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableRule {
    /// It was written by a later version.
    #[error("the rule is of version {0}, which this version of Vestibule does not know")]
    Newer(u64),
    /// It is not written as a rule is.
    #[error("the rule is not written as a rule is: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It says something that cannot be enforced.
    #[error(transparent)]
    Unenforceable(#[from] Unenforceable),
}

/// Why a file of rules was not taken.
#[derive(Debug, thiserror::Error)]
pub enum RuleFileError {
    /// It is something else.
    #[error("this is no file of rules")]
    Foreign,
    /// It was written by a later version.
    #[error("the file is of version {0}, which this version of Vestibule does not know")]
    Newer(u64),
    /// It holds too much.
    #[error("the file holds more than {MOST} rules")]
    TooMany,
    /// One of its rules cannot be read; counted from 1.
    #[error("rule {0} of the file: {1}")]
    Rule(usize, UnreadableRule),
    /// One of its rules speaks of a server that is not here; counted from 1.
    #[error("rule {0} of the file speaks of a server that is not here")]
    Server(usize),
}

/// The rule as the store keeps it.
#[must_use]
pub fn write_rule(rule: &Rule) -> Value {
    let mut body = serde_json::to_value(rule).expect("a rule is plain data");
    body["version"] = json!(VERSION);
    body
}

/// A rule as the store kept it.
///
/// # Errors
/// Why it has no effect.
pub fn read_rule(mut body: Value) -> Result<Rule, UnreadableRule> {
    let version = body.as_object_mut().and_then(|members| members.remove("version"));
    let version = version
        .map_or(Some(1), |version| version.as_u64())
        .unwrap_or(u64::MAX);
    if version > VERSION {
        return Err(UnreadableRule::Newer(version));
    }
    let rule: Rule = serde_json::from_value(body)?;
    rule.check()?;
    Ok(rule)
}

/// All of `rules` as a file.
#[must_use]
pub fn export_rules<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Value {
    let rules: Vec<Value> = rules.into_iter().map(write_rule).collect();
    json!({ "format": FORMAT, "version": VERSION, "rules": rules })
}

/// The rules of a file, all or none, for servers that are here. Each gets a new id and begins `now`: that it was
/// used elsewhere says nothing here, and an end that has passed stays passed. A permission ends no later than one that is
/// given now.
///
/// # Errors
/// What is wrong with the file, or with the first rule that is.
pub fn import_rules(
    file: &Value,
    is_here: impl Fn(ServerId) -> bool,
    now: Timestamp,
) -> Result<Vec<Rule>, RuleFileError> {
    let rules = rules_in(file)?;
    let taken = rules.iter().zip(1..).map(|(body, number)| {
        let rule = read_rule(body.clone()).map_err(|error| RuleFileError::Rule(number, error))?;
        if !is_here(rule.server) {
            return Err(RuleFileError::Server(number));
        }
        Ok(import_rule(rule, now))
    });
    taken.collect()
}

/// The bodies of the rules, if this is a file of rules that is understood here.
fn rules_in(file: &Value) -> Result<&Vec<Value>, RuleFileError> {
    if file["format"] != FORMAT {
        return Err(RuleFileError::Foreign);
    }
    let version = file["version"].as_u64().ok_or(RuleFileError::Foreign)?;
    if version > VERSION {
        return Err(RuleFileError::Newer(version));
    }
    let rules = file["rules"].as_array().ok_or(RuleFileError::Foreign)?;
    if rules.len() > MOST {
        return Err(RuleFileError::TooMany);
    }
    Ok(rules)
}

/// The rule as one that is made now.
fn import_rule(rule: Rule, now: Timestamp) -> Rule {
    Rule {
        expires: rule.end_if_given(now),
        id: RuleId::new(),
        made_in: None,
        made: now,
        last_used: None,
        ..rule
    }
}

#[cfg(test)]
mod tests {
    use vestibule_protocol::{ChatId, WorkspaceId};

    use super::*;
    use crate::{Action, Condition, Decision, Digest, Scope, Test};

    fn rule() -> Rule {
        let action = Action::CallTool { tool: "read".into() };
        let (server, digest, home) = (ServerId::new(), Digest::of_tool(&json!({})), WorkspaceId::home());
        let now = Timestamp::UNIX_EPOCH;
        let mut rule = Rule::permission(server, action, digest, Scope::Always, None, home, now).unwrap();
        rule.when = vec![Condition {
            at: "/path".into(),
            is: Test::Under("/home/ann".into()),
        }];
        rule
    }

    #[test]
    fn a_rule_reads_back_as_it_was_written() {
        let one = rule();
        assert_eq!(read_rule(write_rule(&one)).unwrap(), one);
    }

    #[test]
    fn a_rule_of_the_first_version_still_reads() {
        let mut old = write_rule(&rule());
        let members = old.as_object_mut().unwrap();
        members.remove("version");
        members.remove("when");
        assert_eq!(read_rule(old).unwrap().when, []);
    }

    #[test]
    fn a_rule_of_a_later_version_has_no_effect() {
        for version in [json!(3), json!("2"), json!(-1), json!(null)] {
            let mut newer = write_rule(&rule());
            newer["version"] = version;
            assert!(matches!(read_rule(newer), Err(UnreadableRule::Newer(_))));
        }
        let mut unknown = write_rule(&rule());
        unknown["unless"] = json!("raining");
        assert!(matches!(read_rule(unknown), Err(UnreadableRule::Malformed(_))));
        let mut hollow = write_rule(&rule());
        hollow["when"][0]["is"] = json!({"host": ["com"]});
        assert!(matches!(read_rule(hollow), Err(UnreadableRule::Unenforceable(_))));
    }

    #[test]
    fn a_file_is_taken_whole_and_begins_anew() {
        let mut rules = [rule(), rule()];
        rules[0].made_in = Some(ChatId::new());
        rules[0].last_used = Some(Timestamp::UNIX_EPOCH);
        let now = Timestamp::from_second(86_400).unwrap();
        let file = export_rules(&rules);
        let taken = import_rules(&file, |_| true, now).unwrap();
        assert_eq!(taken.len(), 2);
        assert!(taken.iter().zip(&rules).all(|(new, old)| {
            let same = (&new.action, &new.when, new.server) == (&old.action, &old.when, old.server);
            let anew = new.id != old.id && (new.made, new.made_in, new.last_used) == (now, None, None);
            same && anew && new.expires == old.expires
        }));
        let here = rules[0].server;
        assert!(matches!(
            import_rules(&file, |server| server == here, now),
            Err(RuleFileError::Server(2))
        ));
        let mut spoiled = file.clone();
        spoiled["rules"][1]["decision"] = json!("ask");
        assert!(matches!(
            import_rules(&spoiled, |_| true, now),
            Err(RuleFileError::Rule(2, _))
        ));
    }

    /// L-1: a file cannot give a permission that the card could not give.
    #[test]
    fn a_permission_of_a_file_ends_no_later_than_one_given_now() {
        let now = Timestamp::from_second(86_400).unwrap();
        let latest = Rule::latest_end(&rule().action, rule().reach, now);
        for expires in [None, Some(Timestamp::MAX)] {
            let endless = Rule { expires, ..rule() };
            let taken = import_rules(&export_rules(&[endless]), |_| true, now).unwrap();
            assert_eq!(taken[0].expires, latest);
        }
        let refusal = Rule {
            decision: Decision::Deny,
            bound_to: None,
            expires: None,
            ..rule()
        };
        let taken = import_rules(&export_rules(&[refusal]), |_| true, now).unwrap();
        assert_eq!(taken[0].expires, None);
    }

    #[test]
    fn another_file_is_not_taken_for_one_of_rules() {
        let now = Timestamp::UNIX_EPOCH;
        let wrong = |file: Value| import_rules(&file, |_| true, now).unwrap_err();
        assert!(matches!(wrong(json!([])), RuleFileError::Foreign));
        assert!(matches!(
            wrong(json!({"format": FORMAT, "version": 2})),
            RuleFileError::Foreign
        ));
        assert!(matches!(
            wrong(json!({"format": FORMAT, "rules": []})),
            RuleFileError::Foreign
        ));
        let newer = json!({"format": FORMAT, "version": 3, "rules": []});
        assert!(matches!(wrong(newer), RuleFileError::Newer(3)));
        let full = |count| json!({"format": FORMAT, "version": 2, "rules": vec![0; count]});
        assert!(matches!(wrong(full(MOST)), RuleFileError::Rule(1, _)));
        assert!(matches!(wrong(full(MOST + 1)), RuleFileError::TooMany));
    }
}
