import { expect, it } from 'vitest';
import { openInProcessWebSocket } from './default-transport.ts';
import { TransportError } from './transport.ts';

it('a browser opens no WebSocket to a server in the same process, and says so', async () => {
  await expect(openInProcessWebSocket()).rejects.toThrow(TransportError);
});
