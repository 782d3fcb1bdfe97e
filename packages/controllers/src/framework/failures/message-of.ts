/** What an error says, for messages that contain it. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
