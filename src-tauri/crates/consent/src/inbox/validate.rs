//! Whether an answer is one that its card has. Nothing is answered here.

use serde_json::{Map, Value};
use vestibule_policy::inspect::UrlVerdict;
use vestibule_policy::{Condition, Places, Scope};

use super::NotTaken;
use super::card::{Validate, content_of};
use crate::{Answer, Form, Page, Question, QuestionBody};

/// How many conditions one answer may have.
const MOST_CONDITIONS: usize = 8;
const NO_SUCH_CONDITIONS: &str = "this answer can have no such conditions";
const NO_SUCH_ANSWER: &str = "this card has no such answer";

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
            validate_form(form, content, not_secret)
        }
        (_, Answer::Open) => validate_open(about, count),
        (QuestionBody::VisitPage(_), Answer::Done) => Ok(()),
        (_, Answer::Accept { .. }) => validate_accept(card, about, check, is_checked, answer),
        _ => invalid_answer(NO_SUCH_ANSWER),
    }
}

fn validate_form(form: &Form, content: &Map<String, Value>, not_secret: &[String]) -> Result<(), NotTaken> {
    if let Some(field) = form.unconfirmed_secret(content, not_secret) {
        return invalid_answer(format!("the field {field:?} looks like a secret"));
    }
    match form.invalid_fields(content).first() {
        None => Ok(()),
        Some(misfit) => invalid_answer(format!("the field {:?} cannot be sent like this", misfit.field)),
    }
}

fn validate_open(about: &QuestionBody, count: usize) -> Result<(), NotTaken> {
    match about {
        QuestionBody::OpenPage(_) | QuestionBody::VisitPage(_) if count > 1 => {
            invalid_answer("a page is opened once for each yes")
        }
        QuestionBody::OpenPage(page) => can_open(page),
        QuestionBody::VisitPage(visit) => can_open(&visit.page),
        _ => invalid_answer(NO_SUCH_ANSWER),
    }
}

fn validate_accept(
    card: &Question,
    about: &QuestionBody,
    check: Option<&Validate>,
    is_checked: bool,
    answer: &Answer,
) -> Result<(), NotTaken> {
    let Answer::Accept {
        scope,
        arguments,
        when,
    } = answer
    else {
        return invalid_answer(NO_SUCH_ANSWER);
    };
    refuse_blocked(about)?;
    validate_scope(card, check, is_checked, *scope, arguments.as_ref())?;
    validate_conditions(about, *scope, when, arguments.as_ref())
}

/// An address that is blocked cannot be agreed to.
fn refuse_blocked(about: &QuestionBody) -> Result<(), NotTaken> {
    let address = match about {
        QuestionBody::LookUpIssuer(look_up) => Some(&look_up.issuer),
        QuestionBody::SignIn(sign_in) if sign_in.is_blocked() => {
            return invalid_answer("an address of this sign-in is blocked");
        }
        QuestionBody::Widen(widening) => widening.address(),
        _ => None,
    };
    match address {
        Some(address) if address.verdict == UrlVerdict::Block => invalid_answer("this address is blocked"),
        _ => Ok(()),
    }
}

fn validate_scope(
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
    changed: Option<&Map<String, Value>>,
) -> Result<(), NotTaken> {
    if when.is_empty() {
        return Ok(());
    }
    let QuestionBody::CallTool(call) = about else {
        return invalid_answer(NO_SUCH_CONDITIONS);
    };
    if scope == Scope::Once || when.len() > MOST_CONDITIONS {
        return invalid_answer(NO_SUCH_CONDITIONS);
    }
    let sent = Value::Object(changed.unwrap_or(&call.arguments).clone());
    let places = Places::as_written(&sent);
    when.iter()
        .try_for_each(|condition| validate_condition(condition, &sent, &places))
}

fn validate_condition(condition: &Condition, sent: &Value, places: &Places) -> Result<(), NotTaken> {
    if let Err(error) = condition.check() {
        return invalid_answer(error.to_string());
    }
    if !condition.surely_holds(sent, places) {
        return invalid_answer("a condition does not hold for the arguments on the card");
    }
    Ok(())
}

pub(super) fn invalid_answer<T>(words: impl Into<String>) -> Result<T, NotTaken> {
    Err(NotTaken::Invalid(words.into()))
}
