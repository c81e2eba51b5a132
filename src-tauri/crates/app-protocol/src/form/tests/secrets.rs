//! Which fields ask for a secret.

use super::*;

/// EF-017, E1: in several languages and with borrowed letters; what only sounds like it is left alone.
#[test]
fn fields_that_ask_for_secrets_are_known() {
    let is_secret = |name: &str, title: &str, description: &str| {
        let schema = json!({"type": "object", "properties":
            {name: {"type": "string", "title": title, "description": description}}});
        read(&schema.to_string()).unwrap().fields[0].secret
    };
    let secrets = [
        ("password", "", ""),
        ("pwd", "", ""),
        ("apiKey", "", ""),
        ("api_key", "", ""),
        ("x", "API key", ""),
        ("token", "", ""),
        ("accessToken", "", ""),
        ("githubToken", "", ""),
        ("pin", "", ""),
        ("x", "Your PIN", ""),
        ("cardNumber", "", ""),
        ("cc", "Credit card", ""),
        ("cvv", "", ""),
        ("otp", "", ""),
        ("x", "One-time code", ""),
        ("x", "", "The password of your account"),
        ("x", "", "Paste your private key here"),
        ("x", "Seed phrase", ""),
        ("x", "Passwort", ""),
        ("x", "Mot de passe", ""),
        ("x", "Contraseña", ""),
        ("x", "密码", ""),
        ("x", "パスワード", ""),
        ("x", "Пароль", ""),
        ("x", "비밀번호", ""),
        ("x", "P a s s w o r d".replace(' ', "\u{200b}").leak(), ""),
        ("раssword", "", ""),
        ("pa55word", "", ""),
        ("p@ssw0rd", "", ""),
        ("\u{251}ccessToken", "", ""),
        ("сrеdential", "", ""),
        ("cr3dential", "", ""),
        ("pаѕѕсоԁе", "", ""),
        ("ρaѕѕwοrd", "", ""),
        ("passԝord", "", ""),
        ("passѡord", "", ""),
        ("private kеу", "", ""),
        ("apiкеу", "", ""),
        ("seсuritycode", "", ""),
        ("тoken", "", ""),
        ("acceѕsтoкen", "", ""),
        ("toκen", "", ""),
        ("credentiaӏ", "", ""),
        ("p1n", "", ""),
        ("pіn", "", ""),
        ("pιn", "", ""),
        ("pın", "", ""),
        ("k3y", "", ""),
        ("αpikey", "", ""),
        ("x", "ｐａｓｓｗｏｒｄ", ""),
        ("x", "𝐏𝐚𝐬𝐬𝐰𝐨𝐫𝐝", ""),
        ("x", "ⓟⓘⓝ", ""),
        ("x", "", "Type your 𝗣𝗜𝗡"),
        ("x", "ﾊﾟｽﾜｰﾄﾞ", ""),
        ("x", "p\u{ad}i\u{2060}n", ""),
        ("x", "one time  pass-word", ""),
        ("client_secret", "", ""),
        ("ssn", "", ""),
        ("x", "", "Type the PIN of your card"),
    ];
    for (name, title, description) in secrets {
        assert!(
            is_secret(name, title, description),
            "{name} {title} {description}"
        );
    }
    let harmless = [
        ("card_board", "", ""),
        ("x", "", "A token of thanks"),
        ("x", "Tar and pine", ""),
        ("x", "PINE", ""),
        ("name", "Full name", "As it stands in your passport"),
        ("maxTokens", "Max tokens", "Upper limit of the answer"),
        ("keyboard", "Keyboard layout", ""),
        ("key_points", "Key points", ""),
        ("compass", "Compass direction", ""),
        ("spin", "Spin", ""),
        ("opinion", "Your opinion", ""),
        ("business_card", "Business card style", ""),
        ("city", "City", "Where the pinned map is centred"),
        ("shipping", "Shipping address", ""),
        ("color", "Key color", ""),
        ("secretary", "Secretary", ""),
        ("discard", "Discard changes", ""),
        ("passenger", "Passenger name", ""),
    ];
    for (name, title, description) in harmless {
        assert!(
            !is_secret(name, title, description),
            "{name} {title} {description}"
        );
    }
}

/// L-9: a message that asks for a password makes each field one that may take it; a choice is none.
#[test]
fn a_message_that_asks_for_a_password_is_looked_at_too() {
    let schema = json!({"type": "object", "properties": {
        "answer": {"type": "string"}, "yes": {"type": "boolean"}}});
    let read = |message: &str| Form::read(message, &schema.to_string()).unwrap();
    let form = read("Please enter your password to go on");
    assert_eq!(
        form.fields.iter().map(|field| field.secret).collect::<Vec<_>>(),
        [true, false]
    );
    assert!(!read("Which token colour do you like?").fields[0].secret);
    let content = json!({"answer": "hunter2"}).as_object().cloned().unwrap();
    assert_eq!(form.unconfirmed_secret(&content, &[]), Some("answer"));
    assert_eq!(form.unconfirmed_secret(&content, &["answer".into()]), None);
}

/// E1: the format of a field is a word of the server like its name.
#[test]
fn a_field_of_the_format_of_a_password_asks_for_a_secret() {
    for (format, secret) in [
        ("password", true),
        ("api-key", true),
        ("email", false),
        ("date-time", false),
    ] {
        let form = one(json!({"type": "string", "title": "Code word", "format": format})).unwrap();
        assert_eq!(form.fields[0].secret, secret, "{format}");
    }
}
