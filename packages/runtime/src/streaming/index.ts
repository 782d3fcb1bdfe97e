/** Streams of exec, attach and port-forward for clients that speak SPDY/3.1 or WebSocket channels. It knows no containers. */
export { StreamingServer } from './streaming-server.ts';
