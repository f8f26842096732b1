import { describeError, errorCodes } from '@carabiner/contract'
import type { FastifyReply } from 'fastify'

/** The error reference for programs. People get the page of the documentation at the same address. */
export const listErrors = (reply: FastifyReply): FastifyReply => {
  const errors = errorCodes.map(code => {
    const { status, type, text } = describeError(code)
    return { code, status, type, message: text }
  })
  return reply.header('vary', 'accept').send({ errors })
}
