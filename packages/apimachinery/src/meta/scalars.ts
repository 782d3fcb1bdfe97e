/** An instant as RFC 3339 in UTC with whole seconds: `2025-01-31T12:00:00Z`. */
export type Time = string;

/** An instant as RFC 3339 in UTC with six digits after the second: `2025-01-31T12:00:00.000000Z`. */
export type MicroTime = string;

/** A span of time as Go prints it: `1h30m0s`. */
export type Duration = string;

/** A number, or a name or percentage: `8080`, `http`, `25%`. */
export type IntOrString = number | string;
