/**
 * Lazy objects: `spec`, `status` and `metadata.managedFields` of large objects are parsed on first access.
 *
 * Of most watch events, and most responses to writes, only the metadata is read. This folder finds those three members in the
 * JSON text without parsing them, parses the rest, and installs accessors that parse a member when it is first read, written, copied,
 * compared or printed. After that it is an ordinary property.
 *
 * Invariants:
 * - An object from here behaves as if it had been parsed at once. The one difference: a syntax error inside an unread member is
 *   thrown by the access instead of by the reader.
 * - The text of an unread member belongs to the object. The text of a watch event is first a view into the connection's buffer;
 *   `EventReader.keepUnread` copies what is still unread before that buffer is used again.
 * - An accessor never sees another object's text: text is shared with an older state of the same object only where both are equal.
 *
 * Code outside of this folder does not depend on the implementation. Informers use four functions: `unreadMembers` (to leave
 * members unread), `continueUnread` (to share text with the last state), `deleteUnread` and `cacheNeeds`.
 *
 * Measured: a member that stays unread saves half of the work on an event; one that is read after all costs half as much again as one
 * parsed at once (decision 15).
 */
export { EventReader, parseLine } from './event-reader.ts';
export { continueUnread, deleteUnread, unreadMembers } from './lazy-object.ts';
export { readAnswer } from './read-answer.ts';
export { type CacheNeeds, cacheNeeds } from './recent-parts.ts';
