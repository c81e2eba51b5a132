//! The models the user set up: what each is called at its connection, and what is known of it.

use jiff::Timestamp;
use rusqlite::{Connection, Row, TransactionBehavior, params};
use serde_json::Value;
use vestibule_protocol::{ConnectionId, ModelId};

use crate::columns::{all, change, id, json_text, optional_id, optional_json, time};
use crate::{Store, StoreError};

/// A model the user can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRecord {
    pub id: ModelId,
    /// The way there; `None` for the rehearsal.
    pub connection: Option<ConnectionId>,
    /// What the user calls it.
    pub label: String,
    /// What it is called there.
    pub model: String,
    /// What a million tokens read cost, in millionths of a currency; `None` where the user does not know.
    pub price_in: Option<u32>,
    /// What a million tokens written cost, in the same unit.
    pub price_out: Option<u32>,
    /// What a million tokens read from the vendor's cache cost; `None` where the user does not know.
    pub price_cached: Option<u32>,
    /// The most tokens it may be made to read; `None` leaves it to Vestibule.
    pub context: Option<u32>,
    /// Whether it uses tools, as the user says; `None` where the user says nothing.
    pub tools: Option<bool>,
    /// Whether it sees images, as the user says.
    pub images: Option<bool>,
    /// Whether it thinks before it answers, as the user says.
    pub thinking: Option<bool>,
    /// What its server said of it, in the terms of the models crate; `None` where it was not asked.
    pub reported: Option<Value>,
    /// Whether it stands before the others.
    pub favourite: bool,
    /// When it was set up; kept to the millisecond.
    pub created: Timestamp,
}

impl ModelRecord {
    /// A model of which nothing is known but its name, which is also what the user calls it.
    #[must_use]
    pub fn new(connection: Option<ConnectionId>, model: &str, created: Timestamp) -> Self {
        Self {
            id: ModelId::new(),
            connection,
            label: model.to_owned(),
            model: model.to_owned(),
            price_in: None,
            price_out: None,
            price_cached: None,
            context: None,
            tools: None,
            images: None,
            thinking: None,
            reported: None,
            favourite: false,
            created,
        }
    }
}

impl Store {
    /// All models, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn models(&self) -> Result<Vec<ModelRecord>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM models ORDER BY created, id", [], from_row))
            .await
    }

    /// Adds a model or replaces the one with the same id.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn put_model(&self, model: &ModelRecord) -> Result<(), StoreError> {
        self.put_models(std::slice::from_ref(model)).await
    }

    /// Adds or replaces several models at once, or none of them.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn put_models(&self, models: &[ModelRecord]) -> Result<(), StoreError> {
        let models = models.to_vec();
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for model in &models {
                put(&transaction, model)?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Changes a model in one transaction, so that changes made at once all hold. Returns `false` where it is gone.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn change_model(
        &self,
        model: ModelId,
        change: impl FnOnce(&mut ModelRecord) + Send + 'static,
    ) -> Result<bool, StoreError> {
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = "SELECT * FROM models WHERE id = ?1";
            let known = all(&transaction, sql, [model.to_string()], from_row)?;
            let Some(mut model) = known.into_iter().next() else {
                return Ok(false);
            };
            change(&mut model);
            put(&transaction, &model)?;
            transaction.commit()?;
            Ok(true)
        })
        .await
    }

    /// Keeps what servers said of models, and nothing else of them. A model that is gone stays so.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn put_reported(&self, reported: &[(ModelId, Value)]) -> Result<(), StoreError> {
        let text =
            |(id, value): &(ModelId, Value)| Ok((id.to_string(), json_text(value, "facts of a model")?));
        let reported: Vec<(String, String)> = reported.iter().map(text).collect::<Result<_, StoreError>>()?;
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for (id, reported) in reported {
                let sql = "UPDATE models SET reported = ?2 WHERE id = ?1";
                change(&transaction, sql, params![id, reported])?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }

    /// Removes a model with its replies in the vendor's form; chats that used it go back to the default. Removing one that is not there changes
    /// nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_model(&self, model: ModelId) -> Result<(), StoreError> {
        let (model, gone) = (model.to_string(), model.to_string());
        self.change_temporary(move |c| Ok(leave_model(c, &gone)?)).await?;
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            leave_model(&transaction, &model)?;
            change(&transaction, "DELETE FROM models WHERE id = ?1", [&model])?;
            Ok(transaction.commit()?)
        })
        .await
    }
}

/// Lets chats go back to the default model. Nothing goes back to the other one any more.
pub(crate) fn leave_model(c: &Connection, model: &str) -> rusqlite::Result<()> {
    change(c, "UPDATE chats SET model = NULL WHERE model = ?1", [model])?;
    change(c, "DELETE FROM native_replies WHERE configured = ?1", [model])?;
    Ok(())
}

fn put(connection: &Connection, model: &ModelRecord) -> Result<(), StoreError> {
    let reported = model.reported.as_ref();
    let reported = reported
        .map(|facts| json_text(facts, "facts of a model"))
        .transpose()?;
    change(
        connection,
        "INSERT INTO models (id, connection, label, model, created, price_in, price_out, price_cached, context,
                             tools, images, thinking, reported, favourite)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (id) DO UPDATE SET connection = ?2, label = ?3, model = ?4, created = ?5, price_in = ?6,
                                        price_out = ?7, price_cached = ?8, context = ?9, tools = ?10,
                                        images = ?11, thinking = ?12, reported = ?13, favourite = ?14",
        params![
            model.id.to_string(),
            model.connection.map(|connection| connection.to_string()),
            model.label,
            model.model,
            model.created.as_millisecond(),
            model.price_in,
            model.price_out,
            model.price_cached,
            model.context,
            model.tools,
            model.images,
            model.thinking,
            reported,
            model.favourite,
        ],
    )?;
    Ok(())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ModelRecord> {
    Ok(ModelRecord {
        id: id(row, "id")?,
        connection: optional_id(row, "connection")?,
        label: row.get("label")?,
        model: row.get("model")?,
        price_in: row.get("price_in")?,
        price_out: row.get("price_out")?,
        price_cached: row.get("price_cached")?,
        context: row.get("context")?,
        tools: row.get("tools")?,
        images: row.get("images")?,
        thinking: row.get("thinking")?,
        reported: optional_json(row, "reported")?,
        favourite: row.get("favourite")?,
        created: time(row, "created")?,
    })
}
