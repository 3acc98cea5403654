// Random play of 61 Feuilles d'automne in plain C++, to compare the library's kernels with: the shipped rules
// (leaf bonuses by exact total), the same random streams, nothing tuned.
//
//     g++ -O3 -march=native -o feuilles bench/reference/feuilles.cpp
//     ./feuilles GAMES PLAYERS [KEY ...]        keys of the streams: dice, then every seat
//
// Prints games a second (of processor time) and the means of the score of every seat and of the rounds. With the keys of a run
// they are the means of that run.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include "stream.h"

constexpr int EMPTY = 0, JOKER = 7, ROUNDS = 20, TARGET = 61, ZONE_BONUS = 3;

// A row holds its letters from the left; equal rows are pumpkins and skewers.
struct Row {
    std::array<int, 3> letters{};
    int filled = 0;
};

struct Sheet {
    Row pumpkins[2], skewers[2];
    std::array<int, 5> lilies{}, mushrooms{};
    std::array<int, 6> mugs{}, burrow{};    // burrow: 0 1 2 below, 3 4 on them, 5 on top
    int lily = 0, mushroom = 0;             // how many are filled
    int leaves = 0, points = 0;
    bool full[6] = {};                      // zones filled this round
};

constexpr int PUMPKIN_SIZE[] = {2, 2}, PUMPKIN_POINTS[] = {3, 3};
constexpr int SKEWER_SIZE[] = {2, 3}, SKEWER_POINTS[] = {3, 5};
constexpr int LILY_POINTS[] = {1, 1, 2, 2, 3}, MUSHROOM_POINTS[] = {1, 2, 2, 2, 3};
constexpr int MUG_POINTS[] = {1, 1, 1, 2, 1, 1}, BURROW_POINTS[] = {1, 1, 1, 2, 2, 4};
constexpr int UNDER[6][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {0, 1}, {1, 2}, {3, 4}};
constexpr int TOUCHING[6][4] = {{1, 3, -1, -1}, {0, 2, 3, 4}, {1, 4, -1, -1}, {0, 1, 4, 5}, {1, 2, 3, 5}, {3, 4, -1, -1}};

bool differ(int a, int b) { return a != b || a == JOKER; }

bool row_takes(const Row& row, int size, int letter) {
    if (row.filled == size) return false;
    for (int i = 0; i < row.filled; i++)
        if (letter != JOKER && row.letters[i] != JOKER && row.letters[i] != letter) return false;
    return true;
}

bool fits(const Sheet& sheet, int zone, int cell, int letter) {
    switch (zone) {
    case 0: return row_takes(sheet.pumpkins[cell], PUMPKIN_SIZE[cell], letter);
    case 1:
        if (cell != sheet.lily) return false;
        for (int i = 0; i < sheet.lily; i++)
            if (!differ(letter, sheet.lilies[i])) return false;
        return true;
    case 2: return row_takes(sheet.skewers[cell], SKEWER_SIZE[cell], letter);
    case 3: return sheet.mugs[cell] == EMPTY && (letter == JOKER || letter == cell + 1);
    case 4:
        if (sheet.burrow[cell] != EMPTY) return false;
        for (int under : UNDER[cell])
            if (under >= 0 && sheet.burrow[under] == EMPTY) return false;
        for (int other : TOUCHING[cell])
            if (other >= 0 && !differ(letter, sheet.burrow[other])) return false;
        return true;
    default:
        if (cell != sheet.mushroom) return false;
        if (cell == 0 || letter == JOKER || sheet.mushrooms[cell - 1] == JOKER) return true;
        const int step = (letter - sheet.mushrooms[cell - 1] + 6) % 6;
        return step == 1 || step == 5;
    }
}

constexpr int CELLS[] = {2, 5, 2, 6, 6, 5};

void write(Sheet& sheet, int zone, int cell, int letter) {
    auto fill = [&](Row* rows, const int* sizes, const int* points) {
        Row& row = rows[cell];
        row.letters[row.filled++] = letter;
        if (row.filled == sizes[cell]) sheet.points += points[cell];
        sheet.full[zone] = rows[0].filled == sizes[0] && rows[1].filled == sizes[1];
    };
    auto all = [](const std::array<int, 6>& cells) {
        for (int filled : cells)
            if (filled == EMPTY) return false;
        return true;
    };
    switch (zone) {
    case 0: fill(sheet.pumpkins, PUMPKIN_SIZE, PUMPKIN_POINTS); break;
    case 1:
        sheet.lilies[sheet.lily++] = letter;
        sheet.points += LILY_POINTS[cell];
        sheet.full[zone] = sheet.lily == 5;
        break;
    case 2: fill(sheet.skewers, SKEWER_SIZE, SKEWER_POINTS); break;
    case 3:
        sheet.mugs[cell] = letter;
        sheet.points += MUG_POINTS[cell];
        sheet.full[zone] = all(sheet.mugs);
        break;
    case 4:
        sheet.burrow[cell] = letter;
        sheet.points += BURROW_POINTS[cell];
        sheet.full[zone] = all(sheet.burrow);
        break;
    default:
        sheet.mushrooms[sheet.mushroom++] = letter;
        sheet.points += MUSHROOM_POINTS[cell];
        sheet.full[zone] = sheet.mushroom == 5;
    }
}

struct Choice {
    int zone, number, leaf, cell;
};

// Every (zone, number, leaf, cell) that three ascending dice allow, each once.
int choices(const Sheet& sheet, const std::array<int, 3>& dice, Choice* found) {
    static const int WAYS[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int seen[6], ways = 0, count = 0;
    for (const auto& [z, n, l] : WAYS) {
        const int zone = dice[z], number = dice[n], leaf = dice[l], code = zone * 100 + number * 10 + leaf;
        bool again = false;
        for (int i = 0; i < ways; i++) again |= seen[i] == code;
        if (again) continue;
        seen[ways++] = code;
        for (int cell = 0; cell < CELLS[zone - 1]; cell++)
            if (fits(sheet, zone - 1, cell, number)) found[count++] = {zone - 1, number, leaf, cell};
    }
    return count;
}

void place_joker(Sheet& sheet, Stream& stream) {
    std::pair<int, int> spots[31];
    int count = 0;
    for (int zone = 0; zone < 6; zone++)
        for (int cell = 0; cell < CELLS[zone]; cell++)
            if (fits(sheet, zone, cell, JOKER)) spots[count++] = {zone, cell};
    if (count == 0) return;
    const auto [zone, cell] = spots[stream.below(count)];
    write(sheet, zone, cell, JOKER);
}

void take_turn(Sheet& sheet, const std::array<int, 3>& dice, Stream& stream) {
    Choice found[36];
    const int count = choices(sheet, dice, found);
    if (count) {
        const Choice& choice = found[stream.below(count)];
        write(sheet, choice.zone, choice.cell, choice.number);
        sheet.leaves += choice.leaf;
    } else {
        sheet.leaves += dice[stream.below(3)];
    }
    switch (sheet.leaves) {
    case 11: case 31: case 51: place_joker(sheet, stream); break;
    case 21: sheet.points += 2; break;
    case 41: sheet.points += 3; break;
    case 61: sheet.points += 5; break;
    }
}

int play(std::vector<Sheet>& sheets, Stream& chance, std::vector<Stream>& seats) {
    bool closed[6] = {};
    for (int round = 1;; round++) {
        const int thrown = chance.below(216);
        std::array<int, 3> dice = {thrown / 36 + 1, thrown / 6 % 6 + 1, thrown % 6 + 1};
        if (dice[0] > dice[1]) std::swap(dice[0], dice[1]);
        if (dice[1] > dice[2]) std::swap(dice[1], dice[2]);
        if (dice[0] > dice[1]) std::swap(dice[0], dice[1]);
        bool over = round == ROUNDS;
        for (size_t seat = 0; seat < sheets.size(); seat++) {
            take_turn(sheets[seat], dice, seats[seat]);
            over |= sheets[seat].leaves >= TARGET;
        }
        for (int zone = 0; zone < 6; zone++) {
            bool completed = false;
            for (Sheet& sheet : sheets) {
                if (sheet.full[zone] && !closed[zone]) sheet.points += ZONE_BONUS, completed = true;
                sheet.full[zone] = false;
            }
            closed[zone] |= completed;
        }
        if (over) return round;
    }
}

int main(int argc, char** argv) {
    const uint64_t games = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1000000;
    const int players = argc > 2 ? atoi(argv[2]) : 1;
    std::vector<uint64_t> keys;
    for (int stream = 0; stream <= players; stream++)
        keys.push_back(argc > 3 + stream ? strtoull(argv[3 + stream], nullptr, 10) : stream);
    std::vector<double> scores(players);
    double rounds = 0;
    const clock_t start = clock();
    std::vector<Sheet> sheets(players);
    for (uint64_t game = 0; game < games; game++) {
        sheets.assign(players, Sheet());
        Stream chance(keys[0], game);
        std::vector<Stream> seats;
        for (int seat = 0; seat < players; seat++) seats.emplace_back(keys[1 + seat], game);
        rounds += play(sheets, chance, seats);
        for (int seat = 0; seat < players; seat++) scores[seat] += sheets[seat].points;
    }
    const double seconds = double(clock() - start) / CLOCKS_PER_SEC;
    printf("%.0f games/s, rounds %.6f, scores", games / seconds, rounds / games);
    for (double score : scores) printf(" %.6f", score / games);
    printf("\n");
}
