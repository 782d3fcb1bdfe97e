import type { Session } from 'node:inspector/promises';

/** Opens a session with the inspector of this thread. The inspector is loaded on first use. Rejects when Node was built without it. */
export async function openInspectorSession(): Promise<Session> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  return session;
}
