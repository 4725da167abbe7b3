"""Rows about who did what, or that the text does not say: python people.py OUT [rows]

Two or three people are introduced, then something is said of each, of one, or of nobody; questions ask who it was, in other words than the text's where
there are any. Half of what is asked is not said. Made from the lists below alone.
"""
import json
import random
import sys

PEOPLE = (
    'nurse', 'teacher', 'plumber', 'violinist', 'cashier', 'student', 'lawyer', 'gardener', 'pilot', 'baker', 'tourist', 'neighbor', 'manager', 'intern', 'cyclist', 'driver',
    'waiter', 'painter', 'farmer', 'librarian', 'carpenter', 'engineer', 'reporter', 'coach', 'dentist', 'singer', 'tailor', 'clerk', 'visitor', 'customer', 'guide', 'editor')
MARKS = ('tall', 'short', 'young', 'older', 'blond', 'bearded', 'left-handed', 'Spanish', 'Danish', 'retired', 'new', 'local', 'foreign', 'red-haired', 'married', 'single',
         'slim', 'tattooed', 'dark-haired', 'heavy', 'freckled')
NAMES = ('Anna', 'Ben', 'Carla', 'David', 'Elena', 'Frank', 'Grace', 'Hassan', 'Ines', 'Jonas', 'Kim', 'Laura', 'Marco', 'Nina', 'Omar', 'Paula', 'Quentin', 'Rosa', 'Samir', 'Tara',
         'Ursula', 'Victor', 'Wendy', 'Yusuf', 'Zoe', 'Maria', 'Peter', 'Lucy', 'Andre', 'Helen')
SCENES = ('{both} were waiting at the station.', 'At the meeting I talked to {both}.', '{both} applied for the same job.', 'Yesterday {both} came into the shop.',
          'I met {both} at a party last week.', '{both} share an office.', 'The article was about {both}.', '{both} were sitting in the cafe.', 'We hired {both} in spring.',
          'On the bus I overheard {both}.', '{both} took part in the race.', 'The police spoke with {both} after the accident.', 'In class the teacher called on {both}.',
          '{both} went on the same trip.', 'Two people were at the door, {both}.', 'My friend lives with {both}.')
# What is said of one, what is said of the other, and questions that the first and the second answer.
FACTS = (
    ('arrived an hour before it began', 'came when everything was nearly over', ('Who was early?', 'Who was on time?'), ('Who was late?', 'Who did not arrive in time?')),
    ('finished all of the work', 'gave up after ten minutes', ('Who was hardworking?', 'Who completed the task?'), ('Who was lazy?', 'Who did not finish?')),
    ('paid for everybody', 'never even took out a wallet', ('Who was generous?', 'Who paid the bill?'), ('Who was stingy?', 'Who did not pay?')),
    ('shouted at the staff', 'thanked everyone politely', ('Who was rude?', 'Who behaved badly?'), ('Who was polite?', 'Who had good manners?')),
    ('could not find the right words', 'spoke fluently for an hour', ('Who was a poor speaker?', 'Who had trouble speaking?'), ('Who was a good speaker?', 'Who spoke well?')),
    ('passed the exam with top marks', 'failed the test twice', ('Who did well in the exam?', 'Who is good at tests?'), ('Who failed?', 'Who did badly in the exam?')),
    ('stole money from the till', 'returned a lost purse', ('Who was a thief?', 'Who was dishonest?'), ('Who was honest?', 'Who gave something back?')),
    ('drove much too fast', 'kept to the speed limit', ('Who was reckless?', 'Who is a dangerous driver?'), ('Who drove carefully?', 'Who obeyed the law?')),
    ('slept through the alarm', 'was up before sunrise', ('Who overslept?', 'Who got up late?'), ('Who got up early?', 'Who was awake first?')),
    ('fixed the computer in minutes', 'did not know how to turn it on', ('Who is good with technology?', 'Who could use the computer?'), ('Who is bad with technology?', 'Who struggles with computers?')),
    ('ran ten miles every day', 'got out of breath on the stairs', ('Who is fit?', 'Who is in good shape?'), ('Who is unfit?', 'Who is out of shape?')),
    ('forgot the name again and again', 'remembered every detail', ('Who was forgetful?', 'Who has a bad memory?'), ('Who has a good memory?', 'Who remembered well?')),
    ('was hired at once', 'was turned down', ('Who got the job?', 'Who was successful?'), ('Who was rejected?', 'Who did not get the job?')),
    ('hated the soup', 'asked for a second bowl of the soup', ('Who disliked the food?', 'Who did not like the soup?'), ('Who enjoyed the food?', 'Who liked the soup?')),
    ('lost the game', 'won the prize', ('Who was the loser?', 'Who did not win?'), ('Who was the winner?', 'Who won?')),
    ('voted for the proposal', 'voted against it', ('Who supported the proposal?', 'Who was in favour?'), ('Who opposed the proposal?', 'Who was against it?')),
    ('drank five beers', 'only had water', ('Who drinks alcohol?', 'Who got drunk?'), ('Who stayed sober?', 'Who does not drink?')),
    ('told the truth about it', 'lied to all of us', ('Who was truthful?', 'Who can be trusted?'), ('Who was a liar?', 'Who cannot be trusted?')),
    ('stayed calm the whole time', 'panicked and started to scream', ('Who was calm?', 'Who kept their nerve?'), ('Who was scared?', 'Who lost their nerve?')),
    ('cleaned the whole kitchen', 'left dirty plates everywhere', ('Who is tidy?', 'Who cleaned up?'), ('Who is messy?', 'Who made a mess?')),
    ('earns a fortune', 'can hardly pay the rent', ('Who is rich?', 'Who has a lot of money?'), ('Who is poor?', 'Who has little money?')),
    ('has three small children', 'has never wanted children', ('Who is a parent?', 'Who has a family?'), ('Who has no children?', 'Who is childless?')),
    ('helped the old man across the street', 'walked past without looking', ('Who was helpful?', 'Who was kind?'), ('Who did not help?', 'Who was unkind?')),
    ('broke a leg on the way', 'came home unharmed', ('Who was injured?', 'Who got hurt?'), ('Who was not hurt?', 'Who stayed safe?')),
    ('knows nothing about politics', 'reads three newspapers a day', ('Who is badly informed?', 'Who does not follow the news?'), ('Who is well informed?', 'Who follows the news?')),
    ('quit the job in anger', 'was promoted in June', ('Who left the company?', 'Who resigned?'), ('Who was promoted?', 'Who moved up?')),
    ('cried at the end of the film', 'laughed about it', ('Who was sad?', 'Who cried?'), ('Who was amused?', 'Who laughed?')),
    ('borrowed the car and never brought it back', 'asked before taking anything', ('Who is irresponsible?', 'Who took the car?'), ('Who is responsible?', 'Who asked first?')),
    ('is afraid of dogs', 'has two dogs at home', ('Who fears dogs?', 'Who does not like dogs?'), ('Who owns dogs?', 'Who likes dogs?')),
    ('could not hear the announcement', 'heard every word', ('Who was hard of hearing?', 'Who had trouble hearing?'), ('Who could hear well?', 'Who heard the announcement?')),
    ('always wears a suit', 'turned up in an old sweater', ('Who was well dressed?', 'Who dresses formally?'), ('Who was badly dressed?', 'Who dresses casually?')),
    ('ate a large steak', 'does not touch meat', ('Who eats meat?', 'Who had a steak?'), ('Who is a vegetarian?', 'Who avoids meat?')))
# Said of both with other words in the place; asked in the words of the text.
SAYINGS = (
    ('plays the {}', 'Who plays the {}?', ('violin', 'drums', 'piano', 'harp', 'flute', 'trumpet', 'cello', 'guitar')),
    ('lives in {}', 'Who lives in {}?', ('Lyon', 'Oslo', 'Boston', 'Lima', 'Cairo', 'Kyoto', 'Prague', 'Dublin')),
    ('ordered the {}', 'Who ordered the {}?', ('salad', 'fish', 'pasta', 'soup', 'curry', 'burger', 'pie', 'rice')),
    ('bought a {}', 'Who bought a {}?', ('lamp', 'bike', 'coat', 'camera', 'tent', 'chair', 'phone', 'guitar')),
    ('left on {}', 'Who left on {}?', ('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday')),
    ('speaks {}', 'Who speaks {}?', ('French', 'Greek', 'Hindi', 'Polish', 'Arabic', 'Korean', 'Dutch', 'Turkish')),
    ('studied {}', 'Who studied {}?', ('law', 'physics', 'history', 'medicine', 'music', 'chemistry', 'design', 'biology')),
    ('came by {}', 'Who came by {}?', ('train', 'bus', 'car', 'boat', 'plane', 'taxi', 'tram', 'bicycle')),
    ('wore a {} hat', 'Who wore a {} hat?', ('red', 'green', 'blue', 'yellow', 'black', 'white', 'brown', 'purple')),
    ('asked for a refund of {} dollars', 'Who asked for {} dollars?', ('12', '25', '40', '75', '90', '110', '300', '450')),
    ('works for the {}', 'Who works for the {}?', ('bank', 'hospital', 'museum', 'airport', 'school', 'library', 'hotel', 'brewery')))
UNKNOWN = ('not enough information', 'cannot be told from the text', 'Unknown', "Can't answer", 'Not answerable', 'Undetermined', 'Cannot be determined', 'it does not say', 'nobody knows',
           'The text does not say', 'not stated', 'Not known')
ASK = ('{}', '{}', 'According to the passage: {}', 'Answer with what the text says: {}', '{} Answer from the text alone.')
SETTLES = ('Can "{}" be answered from the text?', 'The passage settles the question "{}"', 'The text says enough to answer: {}', 'Is it said in the text? {}')
JOINTS = (' {a} {x}, while {b} {y}.', ' {a} {x}. {b} {y}.', ' {a} {x}, but {b} {y}.', ' It turned out that {a} {x} and {b} {y}.', ' I was told that {b} {y}, whereas {a} {x}.', ' Later I heard that {a} {x}; {b} {y}.')
ALONE = (' {a} {x}.', ' I heard that {a} {x}.', ' It turned out that {a} {x}.', ' As far as I know, {a} {x}.')


def cast(rng):
    """(as introduced, as spoken of, as an option) of two people."""
    kind = rng.random()
    if kind < 0.3:
        return [(name, name, name) for name in rng.sample(NAMES, 2)]
    if kind < 0.65:
        found = rng.sample(PEOPLE, 2)
    elif kind < 0.85:
        person, marks = rng.choice(PEOPLE), rng.sample(MARKS, 2)
        found = [f'{mark} {person}' for mark in marks]
    else:
        found = [f'{mark} {person}' for mark, person in zip(rng.sample(MARKS, 2), rng.sample(PEOPLE, 2))]
    return [(f'{"an" if words[0] in "aeiou" else "a"} {words}', f'the {words}', f'The {words}') for words in found]


def sentence(text):
    return text[0].upper() + text[1:]


def story(rng):
    """Text, options, and [(question, the option that answers it or None)]."""
    people = cast(rng)
    if rng.random() < 0.5:
        people.reverse()
    (first, a, name_a), (second, b, name_b) = people
    text = sentence(rng.choice(SCENES).format(both=f'{first} and {second}'))
    asked = []
    for topic in rng.sample(range(2), rng.choice((1, 1, 2))):
        said = rng.random()
        if topic == 0:
            x, y, of_x, of_y = rng.choice(FACTS)
            asked_x, asked_y = rng.choice(of_x), rng.choice(of_y)
        else:
            form, question, words = rng.choice(SAYINGS)
            word_x, word_y, word_z = rng.sample(words, 3)
            x, y, asked_x, asked_y = form.format(word_x), form.format(word_y), question.format(word_x), question.format(word_y)
            if said >= 0.45 and rng.random() < 0.3:
                asked.append((question.format(word_z), None))
        who = rng.choice((((a, name_a), (b, name_b)), ((b, name_b), (a, name_a))))
        if said < 0.45:
            asked += [(asked_x, None), (asked_y, None)]
            continue
        if said < 0.6:
            text += ' ' + sentence(rng.choice(ALONE).format(a=who[0][0], x=x).strip())
            asked.append((asked_x, who[0][1]))
            continue
        parts = rng.choice(JOINTS).format(a=who[0][0], x=x, b=who[1][0], y=y).strip()
        text += ' ' + '. '.join(sentence(part) for part in parts.split('. '))
        asked += [(asked_x, who[0][1]), (asked_y, who[1][1])]
    return text, [name_a, name_b], asked


def row(rng, index):
    text, names, asked = story(rng)
    questions, truth = {}, {}
    for number, (question, answer) in enumerate(rng.sample(asked, min(len(asked), 3))):
        unknown = rng.choice(UNKNOWN)
        options = [*names, unknown]
        rng.shuffle(options)
        questions[f'who_{number}'] = {'type': 'choice', 'instructions': rng.choice(ASK).format(question), 'criteria': {option: None for option in options}}
        truth[f'who_{number}'] = answer or unknown
        if rng.random() < 0.4:
            questions[f'said_{number}'] = {'type': 'noul', 'instructions': rng.choice(SETTLES).format(question)}
            truth[f'said_{number}'] = answer is not None
    state = rng.choice((text, text, {'report': text}, {'text': text}, {'note': text}))
    return {'id': f'people-{index:06d}', 'source': 'people', 'task': 'who did what', 'licence': 'Apache-2.0', 'state': state, 'questions': questions, 'truth': truth}


def main(out, count=12000):
    rng = random.Random(11)
    with open(out, 'w') as file:
        file.writelines(json.dumps(row(rng, index)) + '\n' for index in range(int(count)))


if __name__ == '__main__':
    main(*sys.argv[1:3])
