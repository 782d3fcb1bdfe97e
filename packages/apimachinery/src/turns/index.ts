/** Lets long work share the event loop with other work. */
export { CountingEventLoop, type CountingEventLoopOptions } from './counting-event-loop.ts';
export { type EventLoop, nextTurn, systemEventLoop } from './event-loop.ts';
export { fairTurn } from './fair-turn.ts';
export { KeyedTurns } from './keyed-turns.ts';
export { Turns } from './turns.ts';
