import type { ServerResponse } from 'node:http'
import type { SafeHtml } from '@remix-run/html-template'
import { pageSecurityPolicy } from '../pages/styles.ts'
import type { HttpError } from './http-error.ts'

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  res.end(`${JSON.stringify(body)}\n`)
}

export function sendError(res: ServerResponse, error: HttpError, headers: Record<string, string> = {}): void {
  // The rest of an oversized body is not read, so the connection cannot be reused.
  const connection: Record<string, string> = error.status === 413 ? { connection: 'close' } : {}
  sendJson(
    res,
    error.status,
    { error: error.code, error_description: error.message },
    { ...connection, ...headers },
  )
}

export function sendPage(res: ServerResponse, status: number, page: SafeHtml): void {
  res.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...pageHeaders })
  res.end(String(page))
}

export function seeOther(res: ServerResponse, location: string): void {
  res.writeHead(303, { location, 'cache-control': 'no-store' })
  res.end()
}

export const pageHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': pageSecurityPolicy,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
