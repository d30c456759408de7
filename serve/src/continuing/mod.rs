//! `--continue`: the request that follows when everything the model asked has been answered.

mod message;
mod request;

pub(crate) use self::message::Message;
pub(crate) use self::request::Request;
