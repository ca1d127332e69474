//! JSON with positions: a tree that keeps where each value stands and the text of numbers.
//!
//! Why not `serde_json`: it gives no positions, and refuses the trailing commas that Apple's own
//! samples have.

mod read;
mod write;

pub use read::{DEPTH, LIMIT, Parsed, SyntaxError, read};

/// A part of the text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

/// A value and where it stands. Values that were made, not read, stand nowhere (0 to 0).
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub data: Data,
    /// Where it stands.
    pub span: Span,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Data {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A number, as it is written.
    Number(Box<str>),
    /// A string without its quotes and escapes.
    Text(Box<str>),
    /// A list.
    List(Vec<Value>),
    /// An object, its keys in order, also those that are there twice.
    Object(Vec<Member>),
}

/// A key of an object with its value.
#[derive(Clone, Debug)]
pub struct Member {
    /// The key.
    pub key: Box<str>,
    /// Where the key stands, with its quotes.
    pub span: Span,
    /// The value.
    pub value: Value,
}

impl Value {
    /// The value of a key; the last one if it is there twice.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().rev().find(|member| &*member.key == key).map(|member| &member.value)
    }

    /// The members of an object; nothing for any other value.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match &self.data {
            Data::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of a list; nothing for any other value.
    #[must_use]
    pub fn elements(&self) -> &[Self] {
        match &self.data {
            Data::List(elements) => elements,
            _ => &[],
        }
    }

    /// The elements of a list behind a key.
    #[must_use]
    pub fn list(&self, key: &str) -> &[Self] {
        self.get(key).map_or(&[], Self::elements)
    }

    /// The text of a string.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number without fraction and exponent.
    #[must_use]
    pub fn integer(&self) -> Option<i128> {
        match &self.data {
            Data::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// What it is, for messages.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Flag(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Object(_) => "an object",
        }
    }

    /// A value that stands nowhere.
    #[must_use]
    pub fn made(data: Data) -> Self {
        Self { data, span: Span::default() }
    }

    /// An object of these keys.
    #[must_use]
    pub fn object<'k>(members: impl IntoIterator<Item = (&'k str, Self)>) -> Self {
        let member =
            |(key, value): (&str, Self)| Member { key: key.into(), span: Span::default(), value };
        Self::made(Data::Object(members.into_iter().map(member).collect()))
    }

    /// Adds a key to an object; does nothing to any other value.
    pub fn push(&mut self, key: &str, value: Self) {
        if let Data::Object(members) = &mut self.data {
            members.push(Member { key: key.into(), span: Span::default(), value });
        }
    }

    /// Whether two values say the same, wherever they stand. Keys count in their order.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Null, Data::Null) => true,
            (Data::Flag(a), Data::Flag(b)) => a == b,
            (Data::Number(a), Data::Number(b)) | (Data::Text(a), Data::Text(b)) => a == b,
            (Data::List(a), Data::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Data::Object(a), Data::Object(b)) => {
                let same = |(a, b): (&Member, &Member)| a.key == b.key && a.value.same(&b.value);
                a.len() == b.len() && a.iter().zip(b).all(same)
            }
            _ => false,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::made(Data::Text(text.into()))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::made(Data::Flag(flag))
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::made(Data::Number(number.to_string().into()))
    }
}

impl From<Vec<Self>> for Value {
    fn from(elements: Vec<Self>) -> Self {
        Self::made(Data::List(elements))
    }
}
