// Lists that the fields of a state tell by themselves: what one field says of each object that words describe.
import { describe, expect, it } from 'vitest'
import { toldList } from '../../src/questions/logic/told.ts'

const USERS = [
  {
    users: [
      { name: 'Tomas Vega', email: 'vega@mail.example', role: 'admin', active: true, logins: 12, joined: '2026-01-07' },
      { name: 'Julia Roth', email: 'roth@mail.example', role: 'editor', active: false, logins: 3, joined: '2026-02-11' },
      { name: 'Ben Asante', email: 'asante@mail.example', role: 'admin', active: false, logins: 7, joined: '2026-03-02' },
    ],
  },
]

describe('what a field says of each object', () => {
  it.each([
    ['All emails', 'text', ['vega@mail.example', 'roth@mail.example', 'asante@mail.example']],
    ['emails of all admins', 'text', ['vega@mail.example', 'asante@mail.example']],
    ['names of inactive users', 'text', ['Julia Roth', 'Ben Asante']],
    ['Which users are not active?', 'text', ['Julia Roth', 'Ben Asante']],
    ['List the logins of the admins.', 'int', ['12', '7']],
    ['roles of all users', 'text', ['admin', 'editor']],
    ['joined', 'date', ['2026-01-07', '2026-02-11', '2026-03-02']],
  ])('%s', (question, kind, items) => {
    expect(toldList(question, kind, USERS)).toEqual(items)
  })

  it.each([
    ['a field that is not there', 'phone numbers', 'text'],
    ['words that fields do not say', 'emails of the friendly users', 'text'],
    ['what is denied', 'emails of the users who are not admins', 'text'],
    ['a part of them', 'the first two emails', 'text'],
    ['objects of which there are none', 'emails of all owners', 'text'],
    ['a number that is no name', 'names of users with 3 logins', 'text'],
    ['flags', 'active', 'text'],
    ['texts that are no numbers', 'names', 'int'],
    ['what is still to come', 'emails of users who will be admins', 'text'],
  ])('is left to the model: %s', (_, question, kind) => {
    expect(toldList(question, kind, USERS)).toBeNull()
  })
})
