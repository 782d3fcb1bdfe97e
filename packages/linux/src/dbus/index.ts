export { DBusConnection, DBusError } from './dbus-connection.ts';
export type { DBusValue, Variant } from './marshal.ts';
export { type DBusMessage, decodeMessage, encodeMessage, messageType } from './message.ts';
