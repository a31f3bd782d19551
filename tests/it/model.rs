//! A model of one order, looked at as a whole: the rules as they are shipped
//! keep their promises, and a broken rule is found.

mod broken;
mod shipped;
mod table;
