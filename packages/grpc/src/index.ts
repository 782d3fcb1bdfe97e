/**
 * gRPC for the small protocols between programs on one machine: container runtimes (CRI), KMS and other plug-ins.
 *
 * A message is a table of fields (`protobuf/`), a service is a table of methods (`rpc/service.ts`). From these tables come a client
 * (`connect`), a server (`listen`), and calls to handlers in the same process (`inProcess`). All have the same type, so callers need not
 * know which one they use. The wire protocol is implemented by @grpc/grpc-js, over Unix sockets only.
 *
 * Not here: Kubernetes' own objects, whose protobuf is in `@coxswain/apimachinery/codec`, and the protocols themselves.
 */
export * from './protobuf/index.ts';
export { type Connection, type ConnectOptions, connect, socketPath } from './rpc/client.ts';
export { InProcessConnection, inProcess } from './rpc/in-process.ts';
export { hasRpcCode, type RpcCode, RpcError, rpcCodeOf, rpcCodes, toRpcError } from './rpc/rpc-error.ts';
export { type GrpcServer, listen, type Served, type ServerOptions, serve } from './rpc/server.ts';
export {
  type CallOptions,
  type Calls,
  type Handlers,
  type ServeOptions,
  type Service,
  type StreamMethod,
  stream,
  type UnaryMethod,
  unary,
} from './rpc/service.ts';
