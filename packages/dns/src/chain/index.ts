/** What a query passes through: the interface between the server and the plug-ins. */
export { type Handler, noNext, type Plugin, whenReplied } from './plugin.ts';
export type { Client, Query } from './query.ts';
export { authoritative, type Epoch, emptyReply, failure, type Reply, type Reuse } from './reply.ts';
