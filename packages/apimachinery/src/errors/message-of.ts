/** The message of what was thrown: an error's own, and the text of any other value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
