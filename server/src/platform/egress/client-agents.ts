import { hash } from 'node:crypto'
import type { Agent } from 'undici'
import type { Secret } from '../../core/secret.ts'

/** With what a client identifies itself in the TLS handshake: a certificate with its chain and the private key, both in PEM. */
export type ClientCertificate = { certificate: string; privateKey: Secret }

export type ClientAgents = {
  /** Connections are shared only by requests with the same certificate and key. */
  agentFor(client: ClientCertificate): Agent
  close(): Promise<void>
}

/** Enough to keep the connections of busy organizations. */
const MAX_AGENTS = 64

export const createClientAgents = (create: (client: ClientCertificate) => Agent): ClientAgents => {
  const agents = new Map<string, Agent>()
  return {
    agentFor: client => {
      const id = hash('sha256', `${client.certificate}\n${client.privateKey.reveal()}`)
      const agent = agents.get(id) ?? create(client)
      agents.delete(id)
      agents.set(id, agent)
      const [oldest] = agents
      if (agents.size > MAX_AGENTS && oldest) {
        agents.delete(oldest[0])
        // Requests in flight are completed.
        void oldest[1].close()
      }
      return agent
    },
    close: async () => {
      await Promise.all([...agents.values()].map(agent => agent.close()))
    },
  }
}
