import type { Session } from 'node:inspector/promises';

/** A way to the inspector of this very thread. It is loaded when it is first wanted. Rejects where Node was built without. */
export async function openInspectorSession(): Promise<Session> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  return session;
}
