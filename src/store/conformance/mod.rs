//! One suite for both databases: every test of the lists below runs on each.
//!
//! PostgreSQL comes from `PAYONCE_TEST_POSTGRES`, the address of a server on
//! which databases may be made; `tests/with-postgres` provides one.

mod bed;
mod sample;

mod attacks;
mod claiming;
mod committing;
mod doubt;
mod isolation;
mod listing;
mod one_database;
mod opening;
mod recovery;
mod round_trip;
mod schema_text;
mod stale;

/// Makes a test on each database out of every function that is named.
macro_rules! on_both {
    ($($module:ident { $($test:ident),+ $(,)? })+) => {
        mod sqlite {
            $(mod $module {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::super::bed::on_sqlite(super::super::$module::$test).await;
                }
            )+})+
        }
        mod postgres {
            $(mod $module {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::super::bed::on_postgres(super::super::$module::$test).await;
                }
            )+})+
        }
    };
}

on_both! {
    round_trip {
        every_field_comes_back,
        the_ledger_replays_to_the_row,
        attempts_keep_their_bytes_and_their_first_result,
        cases_open_and_close_with_their_operation,
        leases_are_written_as_told,
        messages_leave_with_the_commit,
    }
    recovery {
        beats_rise_and_the_server_is_recorded,
        a_beat_is_not_counted_where_one_is_missing,
        a_beat_on_another_server_is_not_counted,
        of_two_that_begin_a_recovery_one_wins,
        a_recovery_is_confirmed_and_ended_by_its_epoch,
        a_commit_on_a_database_that_went_back_is_displaced,
    }
    stale {
        another_version_is_stale,
        an_id_that_exists_is_stale,
        a_guard_that_does_not_hold_is_stale,
        one_stale_write_takes_the_others_with_it,
        one_payment_of_a_generation,
        one_generation_that_is_not_over,
        one_unresolved_payment_of_an_order,
        independent_purposes_do_not_wait_for_each_other,
        evidence_is_not_refused_beside_an_unresolved_payment,
        one_compensation_of_a_label,
        one_unresolved_compensation,
        one_thing_at_a_time_is_done_to_a_hold,
        one_successor,
        one_operation_of_a_provider_key,
        a_malformed_commit_is_refused,
    }
    committing {
        of_64_commits_of_one_row_one_wins,
        of_64_creates_of_one_identity_one_wins,
        readers_that_write_wait_for_each_other,
        crossing_writers_never_deadlock,
        a_dropped_caller_changes_nothing,
        canceled_callers_leave_no_open_transaction,
        closing_answers_what_was_taken,
    }
    doubt {
        a_lost_answer_is_looked_up,
        a_lost_commit_is_made_again,
        a_retry_that_meets_its_own_rows_is_applied,
        without_a_look_up_the_outcome_is_undetermined,
        what_another_wrote_meanwhile_is_stale,
        a_lost_insert_is_recognised,
    }
    claiming {
        one_of_64_claimers_wins,
        what_is_due_is_handed_out_once,
        the_oldest_is_first_and_the_future_waits,
        a_backlog_of_one_tenant_does_not_overtake_another,
        a_lapsed_lease_is_taken_over,
        a_fenced_write_is_void_after_a_takeover,
        an_old_release_leaves_the_newer_lease,
        a_released_row_is_free_at_once,
        a_claim_changes_neither_version_nor_ledger,
        a_corrupt_row_keeps_nobody_waiting,
        the_next_due_time_is_known,
    }
    attacks {
        operations_refuse_what_cannot_be,
        effects_refuse_what_cannot_be,
        other_tables_refuse_what_cannot_be,
        rows_stay_with_their_tenant,
        a_rule_that_breaks_is_an_invariant,
    }
    isolation {
        no_finder_shows_another_tenants_rows,
        no_commit_touches_another_tenants_rows,
    }
    listing {
        pages_are_complete_and_newest_first,
        filters_hold_together,
        the_newest_generation_is_found,
        compensations_come_oldest_first,
    }
    opening {
        replicas_that_migrate_at_once_do_not_collide,
        a_database_of_another_shape_is_refused,
        a_database_without_tables_is_refused,
        another_deployment_is_refused,
        a_corrupt_row_is_named,
        time_moves_and_is_shifted,
    }
}
