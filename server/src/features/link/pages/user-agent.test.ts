import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { isInAppBrowser, looksLikePerson } from './user-agent.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const check = (headers: Record<string, string>, method = 'GET'): boolean =>
  looksLikePerson({ method, headers } as unknown as FastifyRequest)
const opened = { 'accept-language': 'en', 'sec-fetch-mode': 'navigate' }

const browsers = [
  CHROME,
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:141.0) Gecko/20100101 Firefox/141.0',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 390.0.0.28.85',
]
const robots = [
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Slackbot 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'Twitterbot/1.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'TelegramBot (like TwitterBot)',
  'WhatsApp/2.23.20.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Barracuda Sentinel (EE)',
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.32.3',
  'Go-http-client/2.0',
  'axios/1.7.2',
  'node',
  'undici',
  'okhttp/4.12.0',
  'Java/17.0.1',
  'Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)',
]

test('looksLikePerson: true for browsers', () => {
  for (const agent of browsers) assert.equal(check({ 'user-agent': agent, ...opened }), true, agent)
})

test('looksLikePerson: false for scanners, previewers and libraries with browser headers', () => {
  for (const agent of robots) assert.equal(check({ 'user-agent': agent, ...opened }), false, agent)
})

test('looksLikePerson: false without a user agent, for HEAD and non-navigation, and for prefetch', () => {
  const browser = { 'user-agent': CHROME, ...opened }
  assert.equal(check({ ...opened }), false, 'no user agent')
  for (const method of ['HEAD', 'POST', 'OPTIONS']) assert.equal(check(browser, method), false, method)
  for (const purpose of ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'])
    assert.equal(check({ ...browser, 'sec-purpose': purpose }), false, purpose)
  for (const purpose of ['prefetch', 'preview']) assert.equal(check({ ...browser, purpose }), false, purpose)
  for (const mode of ['cors', 'no-cors', 'same-origin', 'websocket', ''])
    assert.equal(check({ ...browser, 'sec-fetch-mode': mode }), false, mode)
})

test('looksLikePerson: an old browser without Sec-Fetch-Mode is recognized by its language', () => {
  assert.equal(check({ 'user-agent': CHROME, 'accept-language': 'de' }), true)
  assert.equal(check({ 'user-agent': CHROME }), false)
})

test('isInAppBrowser: true for in-app browsers, false for other browsers', () => {
  for (const agent of [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Instagram 390.0.0.28.85',
    'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/500.0.0.42.106]',
    'Mozilla/5.0 (Linux; Android 14; SM-S911B; wv) AppleWebKit/537.36 Version/4.0 Chrome/140.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 MicroMessenger/8.0.49',
    'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 Safari Line/14.10.0',
  ])
    assert.equal(isInAppBrowser(agent), true, agent)
  for (const agent of [
    CHROME,
    'Mozilla/5.0 (Macintosh) Version/18.5 Safari/605.1.15',
    'x Online/1',
    '',
    undefined,
  ])
    assert.equal(isInAppBrowser(agent), false, agent)
})
