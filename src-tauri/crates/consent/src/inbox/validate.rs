//! Whether an answer is one that its card has. Nothing is answered here.

use serde_json::{Map, Value};
use vestibule_policy::inspect::UrlVerdict;
use vestibule_policy::{Condition, Places, Scope};

use super::NotTaken;
use super::card::{Validate, content_of};
use crate::{Answer, Page, Question, QuestionBody};

/// How many conditions one answer may have.
const MOST_CONDITIONS: usize = 8;

/// Whether a yes is one that this card has, for so many questions.
pub(super) fn validate_answer(
    card: &Question,
    check: Option<&Validate>,
    is_checked: bool,
    answer: &Answer,
    count: usize,
) -> Result<(), NotTaken> {
    let Some(about) = content_of(&card.about) else {
        return invalid_answer("what waits behind this card is not all the same");
    };
    match (about, answer) {
        (QuestionBody::FillForm(form), Answer::Submit { content, not_secret }) => {
            if let Some(field) = form.unconfirmed_secret(content, not_secret) {
                return invalid_answer(format!("the field {field:?} looks like a secret"));
            }
            match form.invalid_fields(content).first() {
                None => Ok(()),
                Some(misfit) => {
                    invalid_answer(format!("the field {:?} cannot be sent like this", misfit.field))
                }
            }
        }
        (QuestionBody::OpenPage(_) | QuestionBody::VisitPage(_), Answer::Open) if count > 1 => {
            invalid_answer("a page is opened once for each yes")
        }
        (QuestionBody::OpenPage(page), Answer::Open) => can_open(page),
        (QuestionBody::VisitPage(visit), Answer::Open) => can_open(&visit.page),
        (QuestionBody::VisitPage(_), Answer::Done) => Ok(()),
        (QuestionBody::LookUpIssuer(look_up), Answer::Accept { .. })
            if look_up.issuer.verdict == UrlVerdict::Block =>
        {
            invalid_answer("this address is blocked")
        }
        (QuestionBody::SignIn(sign_in), Answer::Accept { .. }) if sign_in.is_blocked() => {
            invalid_answer("an address of this sign-in is blocked")
        }
        (QuestionBody::Widen(widening), Answer::Accept { .. })
            if widening
                .address()
                .is_some_and(|address| address.verdict == UrlVerdict::Block) =>
        {
            invalid_answer("this address is blocked")
        }
        (
            _,
            Answer::Accept {
                scope,
                arguments,
                when,
            },
        ) => {
            validate_accept(card, check, is_checked, *scope, arguments.as_ref())?;
            let none = Map::new();
            let sent = match about {
                QuestionBody::CallTool(call) => arguments.as_ref().unwrap_or(&call.arguments),
                _ => &none,
            };
            validate_conditions(about, *scope, when, sent)
        }
        _ => invalid_answer("this card has no such answer"),
    }
}

fn validate_accept(
    card: &Question,
    check: Option<&Validate>,
    is_checked: bool,
    scope: Scope,
    arguments: Option<&Map<String, Value>>,
) -> Result<(), NotTaken> {
    if !card.scopes.contains(&scope) {
        return invalid_answer("this scope was not on offer");
    }
    match (arguments, check) {
        (None, _) => Ok(()),
        (Some(arguments), Some(Validate::Now(check))) => check(arguments).map_err(NotTaken::Invalid),
        (Some(_), Some(Validate::Later(_))) if is_checked => Ok(()),
        (Some(_), Some(Validate::Later(_))) => {
            invalid_answer("changed arguments are checked before they are taken")
        }
        (Some(_), None) => invalid_answer("nothing on this card can be changed"),
    }
}

/// What is blocked is shown, and there is no way around it.
fn can_open(page: &Page) -> Result<(), NotTaken> {
    match page.address.to_open() {
        Some(_) => Ok(()),
        None => invalid_answer("this address is blocked"),
    }
}

/// Conditions stand on a card that has arguments and an answer that is to hold for longer, and hold for what is on it:
/// a user who sees one call cannot be held to a rule about others.
fn validate_conditions(
    about: &QuestionBody,
    scope: Scope,
    when: &[Condition],
    sent: &Map<String, Value>,
) -> Result<(), NotTaken> {
    if when.is_empty() {
        return Ok(());
    }
    if !matches!(about, QuestionBody::CallTool(_)) || scope == Scope::Once || when.len() > MOST_CONDITIONS {
        return invalid_answer("this answer can have no such conditions");
    }
    let sent = Value::Object(sent.clone());
    let places = Places::as_written(&sent);
    for condition in when {
        if let Err(error) = condition.check() {
            return invalid_answer(error.to_string());
        }
        if !condition.surely_holds(&sent, &places) {
            return invalid_answer("a condition does not hold for the arguments on the card");
        }
    }
    Ok(())
}

pub(super) fn invalid_answer<T>(words: impl Into<String>) -> Result<T, NotTaken> {
    Err(NotTaken::Invalid(words.into()))
}
