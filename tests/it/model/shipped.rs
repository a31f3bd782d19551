//! The rules as they are shipped.

use crate::lab::model::check::check;
use crate::lab::model::settings;

#[test]
fn probe() {
    let e = |k: &str, d: u8| std::env::var(k).map_or(d, |v| v.parse().unwrap());
    let name = std::env::var("STORY").unwrap();
    let mut s = settings::all().into_iter().find(|it| it.name == name).unwrap();
    let b = &mut s.bounds;
    b.workers = e("WORKERS", 2) as usize;
    b.crashes = e("CRASHES", 2);
    b.webhooks = e("WEBHOOKS", 1);
    b.not_sent = e("NOTSENT", 1);
    b.calm_from = e("CALM", 3);
    b.declines = e("DECLINES", 1) == 1;
    b.refusals = e("REFUSALS", 0) == 1;
    b.slow_callers = e("SLOW", 0) == 1;
    let report = check(&s, &[], Some(std::time::Duration::from_secs(e("LIMIT", 60) as u64)));
    eprintln!("{report:#?}");
}
