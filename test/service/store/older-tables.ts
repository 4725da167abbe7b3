// Statements that take the tables of this version back to an older one, without their rows.

/** Takes away what versions 4 to 7 added. */
export const DOWN_TO_3 = `
drop table alias_changes;
drop table alias_turn;
drop table if exists recent_turns;
drop table rate_windows;
drop table quarantined_labels;
drop index labels_of_account;
drop index calibration_serving_of_account;
drop index calibration_changes_of_account;
alter table labels drop column account;
alter table labels drop column at;
alter table calibration_serving drop column account;
alter table calibration_changes drop column account;
update schema_version set version = 3`
